// Scalars: one card a tag, with a line for each run.

import type { DashboardModule } from "../../state/dashboards";

export default { load: () => import("./Scalars.svelte") } satisfies DashboardModule;
