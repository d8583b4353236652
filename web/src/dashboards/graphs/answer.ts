// What the graph routes answer. Fields with their default value are left out, as a level may have thousands of nodes.

/** Which graph: one that a run logged or has as a file, or one that was dropped on the page. */
export type GraphRef =
  { readonly run: string; readonly name: string; readonly step?: number | null } | { readonly file: string };

export interface ListedGraph {
  readonly run: string;
  readonly name: string;
  readonly format: string;
  readonly steps: readonly number[];
  readonly is_asset: boolean;
  readonly has_profile: boolean;
}

export interface GraphList {
  readonly generation: number;
  readonly graphs: readonly ListedGraph[];
}

export interface GraphFile {
  readonly file: string;
  readonly format: string;
  readonly nodes: number;
}

/** What decides which nodes and groups there are. */
export interface StructureView {
  readonly repeats?: boolean;
  readonly series?: boolean;
  readonly fold?: boolean;
  readonly aside?: boolean;
  /** Nodes that were aside and are brought back. */
  readonly back?: readonly string[];
  /** Nodes that are set aside by hand. */
  readonly out?: readonly string[];
  /** Repeats and series whose members are shown one by one. */
  readonly each?: readonly string[];
}

export interface LevelsQuestion {
  readonly graph: GraphRef;
  /** "" is the whole graph. */
  readonly groups: readonly string[];
  readonly depth: number;
  readonly limit: number;
  readonly view?: StructureView;
}

export interface CountedName {
  readonly name: string;
  readonly count: number;
}

export type Measure = "time" | "memory" | "parameters" | "flops";

export interface GraphFacts {
  readonly nodes: number;
  readonly edges: number;
  readonly parameters: number | null;
  readonly flops: number | null;
  readonly functions: number;
  readonly depth: number;
  readonly format: string;
  readonly problems: readonly string[];
  readonly ops: readonly CountedName[];
  readonly devices: readonly CountedName[];
  readonly dtypes: readonly CountedName[];
  readonly clusters: readonly CountedName[];
  readonly measures: readonly Measure[];
}

export type NodeType = "op" | "group" | "function" | "repeat" | "series" | "argument" | "result" | "part";

/** A constant, variable or parameter that is drawn on its user. */
export interface Port {
  readonly id: string;
  readonly label: string;
  readonly kind: "constant" | "variable" | "parameter";
}

export interface LevelNode {
  readonly id: string;
  readonly label: string;
  readonly type: NodeType;
  /** Op type, class of a module, or function. */
  readonly op?: string;
  /** Ops inside; 1 for an op. */
  readonly count?: number;
  readonly repeats?: number | null;
  readonly differs?: readonly string[];
  readonly can_open?: boolean;
  /** Equal for nodes of the same structure. */
  readonly structure?: number;
  readonly device?: string;
  readonly dtype?: string;
  readonly cluster?: string;
  /** Of the first output: "32×96". */
  readonly shape?: string;
  readonly parameters?: number | null;
  readonly flops?: number | null;
  /** In µs. */
  readonly time?: number | null;
  /** In bytes. */
  readonly memory?: number | null;
  readonly is_aside?: boolean;
  /** How many nodes use it. */
  readonly uses?: number;
  /** Nodes aside that it uses. */
  readonly aside_uses?: readonly string[];
  readonly ports?: readonly Port[];
  /** How much of it can run on a TPU. */
  readonly tpu?: number | null;
  readonly is_connected?: boolean;
}

interface EdgeFacts {
  /** How many edges of the file it stands for. */
  readonly count?: number;
  readonly control?: boolean;
  readonly label?: string;
}

/** Between two nodes of a level, by their index. */
export interface LevelEdge extends EdgeFacts {
  readonly from: number;
  readonly to: number;
  readonly is_back?: boolean;
}

/** From outside to a node of the level. `outer` is the child of the lowest common ancestor that holds the other end. */
export interface InEdge extends EdgeFacts {
  readonly outer: string;
  readonly to: number;
}

export interface OutEdge extends EdgeFacts {
  readonly from: number;
  readonly outer: string;
}

/** What is directly in a group. */
export interface Level {
  readonly group: string;
  readonly nodes: readonly LevelNode[];
  readonly edges: readonly LevelEdge[];
  readonly in?: readonly InEdge[];
  readonly out?: readonly OutEdge[];
}

export interface LevelsAnswer {
  readonly graph: GraphFacts;
  readonly levels: readonly Level[];
}

export interface Attribute {
  readonly name: string;
  readonly text: string;
  readonly size: number;
  readonly is_cut?: boolean;
}

export interface AttributeAnswer {
  readonly text: string;
}

export interface NodeEnd {
  readonly id: string;
  readonly name: string;
  readonly output?: number;
  readonly shape?: string;
  readonly dtype?: string;
  readonly control?: boolean;
  readonly is_missing?: boolean;
}

export interface SourceFrame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly code: string;
}

export interface NodeAnswer {
  readonly id: string;
  readonly name: string;
  readonly type: NodeType;
  readonly op: string;
  /** The groups around it, outermost first. */
  readonly where: readonly { readonly id: string; readonly label: string }[];
  readonly attributes: readonly Attribute[];
  readonly inputs: readonly NodeEnd[];
  readonly outputs: readonly NodeEnd[];
  readonly device?: string;
  readonly time?: number | null;
  readonly memory?: number | null;
  readonly flops?: number | null;
  readonly parameters?: number | null;
  readonly source?: readonly SourceFrame[];
  readonly ops?: readonly CountedName[];
  readonly count?: number;
  readonly differs?: readonly string[];
  readonly tpu?: {
    readonly compatible: number;
    readonly incompatible: readonly { readonly id: string; readonly name: string; readonly op: string }[];
  } | null;
}

export interface SearchAnswer {
  readonly count: number;
  readonly matches: readonly {
    readonly id: string;
    readonly name: string;
    readonly op: string;
    readonly found: "name" | "op" | "attribute" | "shape" | "dtype" | "device";
    readonly text: string;
    /** The node that it is folded into. */
    readonly port_of?: string;
  }[];
  /** Matches inside each group that has any. */
  readonly groups: Readonly<Record<string, number>>;
  readonly problem: string | null;
}

export interface TraceAnswer {
  readonly count: number;
  readonly parameters: number | null;
  /** For each shown node how many steps it is away; -1: not on it. */
  readonly distances: readonly number[];
}

export type HistogramStatistic = "mean" | "std" | "min" | "max" | "zeros";

export type PaintBy =
  | Measure
  | { readonly family: string; readonly run?: string | null; readonly statistic?: HistogramStatistic }
  | { readonly values: Readonly<Record<string, number>> };

export interface PaintAnswer {
  readonly unit: string;
  readonly steps: readonly number[];
  readonly step: number | null;
  readonly values: readonly (number | null)[];
  readonly min: number | null;
  readonly max: number | null;
  readonly histogram: {
    readonly edges: readonly number[];
    readonly counts: readonly number[];
    readonly is_log: boolean;
  } | null;
  readonly ranking: readonly {
    readonly id: string;
    readonly label: string;
    readonly where: string;
    readonly value: number;
  }[];
  readonly series: { readonly steps: readonly number[]; readonly values: readonly (number | null)[] } | null;
  readonly matched: number;
  readonly unmatched: number;
}

export interface Family {
  readonly id: string;
  readonly label: string;
  readonly kind: "scalar" | "histogram";
  readonly matched: number;
  readonly tags: number;
  readonly run: string;
}

export interface FamiliesAnswer {
  readonly families: readonly Family[];
}

export type NodeState = "same" | "added" | "removed" | "changed" | "inside";

export interface GraphTotals {
  readonly nodes: number;
  readonly edges: number;
  readonly parameters: number | null;
  readonly flops: number | null;
}

/** A node that only the other graph has, at the place where it would stand. */
export interface Ghost {
  readonly group: string;
  readonly label: string;
  readonly op: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export interface DifferenceRow {
  readonly state: "added" | "removed" | "changed";
  readonly label: string;
  readonly what: string;
  readonly count: number;
  readonly a: readonly string[];
  readonly b: readonly string[];
}

export interface DifferenceAnswer {
  readonly totals: { readonly a: GraphTotals; readonly b: GraphTotals };
  readonly ops: readonly { readonly name: string; readonly a: number; readonly b: number }[];
  readonly counts: { readonly added: number; readonly removed: number; readonly changed: number };
  readonly rows: readonly DifferenceRow[];
  readonly states_a: readonly NodeState[];
  readonly states_b: readonly NodeState[];
  readonly ghosts: readonly Ghost[];
}

/** All nodes by columns: names and other texts that repeat as codes. */
export interface NodeTable {
  readonly count: number;
  readonly columns: readonly {
    readonly name: string;
    readonly values?: readonly (string | number | null)[];
    readonly levels?: readonly string[];
    readonly codes?: readonly number[];
  }[];
}
