// Requests of the HParams dashboard.

import type { Client } from "../../api/client";
import type { MetricQuery, TableAnswer } from "./answer";

/** Null: the server chooses the metrics. */
export const loadTable = (
  client: Client,
  metrics: readonly MetricQuery[] | null,
  signal: AbortSignal,
): Promise<TableAnswer> => client.askBody("hparams/table", { metrics }, signal);
