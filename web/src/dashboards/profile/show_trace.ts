// From any view of a profile to its trace.

import { setEventOption, setTimeOption } from "./options";
import type { ProfilePage } from "./profile_page.svelte";

interface Where {
  readonly from_ps: number;
  readonly to_ps: number;
  readonly event: number | null;
}

/** Room beside what is shown, as a share of it. */
const MARGIN = 0.1;

/** Shows a stretch of the trace, with an event selected if there is one. */
export function showTrace(page: ProfilePage, where: Where | null): void {
  if (where) {
    const margin = Math.max(1, (where.to_ps - where.from_ps) * MARGIN);
    setTimeOption(page.settings, { from: where.from_ps - margin, to: where.to_ps + margin });
    setEventOption(page.settings, where.event);
  }
  page.setView("trace");
}
