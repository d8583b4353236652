// What custom scalars ask the server for: the layouts that runs have logged. Points come as in any chart of scalars.

import type { Client } from "../../api/client";
import type { LoggedLayout } from "../../api/types";

export const loadLayout = (client: Client, signal: AbortSignal): Promise<LoggedLayout> =>
  client.ask("custom_scalars/layout", {}, signal);
