// Requests the logged layouts from the server. Points load as in any scalar chart.

import type { Client } from "../../api/client";
import type { LoggedLayout } from "../../api/types";

export const loadLayout = (client: Client, signal: AbortSignal): Promise<LoggedLayout> =>
  client.ask("custom_scalars/layout", {}, signal);
