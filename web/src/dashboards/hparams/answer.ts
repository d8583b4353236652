// The table of sessions as the server sends it, by columns. JSON has no NaN and no infinities: they come as text.

export type Goal = "min" | "max";
export type MetricStat = "last" | "min" | "max" | "mean" | "at_step" | "at_best";

/** Which number of a scalar series is the metric of a session. */
export interface MetricQuery {
  /** Path of the sub-run that logged it; "" for the run itself. */
  readonly group: string;
  readonly tag: string;
  readonly stat: MetricStat;
  /** For at_step. */
  readonly step?: number | null;
  /** For at_best: the metric whose best step counts. */
  readonly best_group?: string | null;
  readonly best_tag?: string | null;
  readonly best?: Goal | null;
}

export type NumberText = number | string | null;

export interface CodedValues {
  readonly levels: readonly string[];
  /** -1: missing. */
  readonly codes: readonly number[];
}

export interface HParamAnswer {
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly type: "number" | "string" | "bool" | "mixed";
  readonly source: string;
  readonly domain?: unknown;
  readonly problem: string | null;
  /** How many values it has; NaN is one. */
  readonly distinct: number;
  /** How many sessions have none. */
  readonly missing: number;
  readonly values?: readonly NumberText[] | null;
  readonly levels?: readonly string[] | null;
  readonly codes?: readonly number[] | null;
}

export interface MetricAnswer extends MetricQuery {
  readonly display_name: string;
  readonly description: string;
  readonly goal: Goal;
  readonly declared: boolean;
  readonly problem: string | null;
  readonly values: readonly NumberText[];
}

/** A scalar that can be a metric. */
export interface OfferedMetric {
  readonly group: string;
  readonly tag: string;
  readonly display_name: string;
  readonly description: string;
  readonly declared: boolean;
  readonly goal: Goal;
  /** How many sessions logged it. */
  readonly runs: number;
}

export interface TableProblem {
  readonly run: string;
  readonly file: string;
  readonly message: string;
}

export interface TableAnswer {
  readonly generation: number;
  readonly runs: readonly string[];
  /** The runs that belong to each session, itself among them. */
  readonly members: readonly (readonly string[])[];
  readonly group: CodedValues;
  readonly status: CodedValues;
  readonly host: CodedValues;
  readonly started: readonly (number | null)[];
  readonly ended: readonly (number | null)[];
  readonly hparams: readonly HParamAnswer[];
  readonly metrics: readonly MetricAnswer[];
  readonly offered: readonly OfferedMetric[];
  readonly experiments: readonly {
    readonly run: string;
    readonly description: string;
    readonly user: string;
    readonly started: number | null;
  }[];
  readonly problems: readonly TableProblem[];
}
