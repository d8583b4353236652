// HParams: which settings made the difference. Lines, table and analyses of all sessions, linked to the shown runs.

import type { DashboardModule } from "../../cards/dashboards";
import { cards } from "./cards";

export default {
  load: () => import("./HParams.svelte"),
  howTo: () => import("./how_to"),
  lists: [],
  first: [{ path: "hparams/table", body: '{"metrics":null}' }],
  cards,
  // A brush in the address narrows the runs of every dashboard.
  keeps: { options: ["hparams.brush", "hparams.rows"], load: () => import("./keep_runs") },
} satisfies DashboardModule;
