// Puts the profiles of all runs on the step axis of the other dashboards: a click opens the trace at these steps.

import type { Session } from "../../../state/session.svelte";
import { followMarks } from "./marks.svelte";

const known = new WeakSet<Session>();

export default (session: Session): void => {
  if (known.has(session)) return;
  known.add(session);
  followMarks(session);
};
