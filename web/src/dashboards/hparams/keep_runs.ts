// Narrows the runs of all dashboards to those of the brushes in the address, while HParams itself is not open.

import type { Session } from "../../state/session.svelte";
import { hparamsPageOf } from "./hparams_page.svelte";

export default (session: Session): void => void hparamsPageOf(session);
