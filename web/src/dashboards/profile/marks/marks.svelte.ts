// The profiles as marks, kept up to date with the list of profiles. Lasts as long as the session.

import { CardData } from "../../../cards/card_data.svelte";
import type { StepMark } from "../../../state/cursor/step_marks";
import type { Session } from "../../../state/session.svelte";
import type { ListedSession, SessionList } from "../answer";
import { listSessions } from "../ask";
import { optionsAt } from "../options";
import { placeText } from "../session_ref";

export function followMarks(session: Session): void {
  $effect.root(() => {
    const list: CardData<null, SessionList> = new CardData(
      session,
      (_, signal) => listSessions(session.client, signal),
      {
        // Training steps of a large profile are known once somebody has opened it.
        wanted: () => ({
          key: `${session.assetsVersion} ${hasUnknown ? session.settings.dashboard : ""}`,
          query: null,
        }),
        isWanted: () => true,
      },
    );
    const hasUnknown: boolean = $derived(
      list.value?.sessions.some(({ first_step, problem }) => first_step === null && problem === null) ?? false,
    );
    // Outside: the session.
    $effect(() => {
      const sessions = list.value?.sessions ?? [];
      session.stepMarks = sessions.flatMap((each) => markOf(each, session.runs.title(each.run)) ?? []);
    });
  });
}

/** Null: its steps are not known. */
export function markOf(profile: ListedSession, title: string): StepMark | null {
  const { run, first_step: from, last_step: to } = profile;
  if (from === null || to === null) return null;
  return {
    run,
    from,
    to,
    title: `Profile of ${placeText(profile)}, ${title}`,
    change: (options) => ({ dashboard: "profile", options: optionsAt(options, profile, from) }),
  };
}
