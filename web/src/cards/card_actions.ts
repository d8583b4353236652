// Actions in the menus of cards, as data, and those that cards of several dashboards have.

import type { IconName } from "../ui/Icon.svelte";
import type { Session } from "../state/session.svelte";

export interface CardAction {
  readonly label: string;
  readonly hint?: string;
  readonly icon?: IconName;
  /** Makes it a toggle. */
  readonly isChecked?: boolean;
  readonly isDisabled?: boolean;
  readonly run: () => void;
}

export function makeWidthAction({ settings }: Session, id: string): CardAction {
  const isWide = settings.card(id).isWide === true;
  return { label: "Full width", isChecked: isWide, run: () => settings.setCard(id, { isWide: !isWide }) };
}

/** Saves files that are loaded first, and tells the user if that fails. `what`: such as "the curves". */
export async function saveOrTell({ messages }: Session, what: string, save: () => Promise<void>): Promise<void> {
  try {
    await save();
  } catch (cause) {
    messages.say(`Could not save ${what}. ${cause instanceof Error ? cause.message : String(cause)}`, {
      isError: true,
    });
  }
}
