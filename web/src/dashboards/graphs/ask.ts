// Requests of the Graphs dashboard.

import type { Client } from "../../api/client";
import type {
  AttributeAnswer,
  DifferenceAnswer,
  FamiliesAnswer,
  GraphFile,
  GraphList,
  GraphRef,
  LevelsAnswer,
  LevelsQuestion,
  NodeAnswer,
  NodeTable,
  PaintAnswer,
  PaintBy,
  SearchAnswer,
  StructureView,
  TraceAnswer,
} from "./answer";

export const listGraphs = (client: Client, signal?: AbortSignal): Promise<GraphList> =>
  client.ask("graphs", {}, signal);

/** Sends a file for this page only. */
export const sendFile = (client: Client, file: File, signal?: AbortSignal): Promise<GraphFile> =>
  client.upload("graphs/file", { name: file.name }, file, signal);

export const loadLevels = (client: Client, question: LevelsQuestion, signal?: AbortSignal): Promise<LevelsAnswer> =>
  client.askBody("graphs/levels", question, signal);

export interface NodeQuery {
  readonly graph: GraphRef;
  readonly id: string;
  readonly view: StructureView;
}
export const loadNode = (client: Client, query: NodeQuery, signal?: AbortSignal): Promise<NodeAnswer> =>
  client.askBody("graphs/node", query, signal);

/** The whole text of an attribute that an answer has cut. */
export const loadAttribute = (client: Client, query: NodeQuery & { readonly name: string }): Promise<AttributeAnswer> =>
  client.askBody("graphs/attribute", query);

export interface SearchQuery {
  readonly graph: GraphRef;
  readonly q: string;
  readonly limit: number;
  readonly view: StructureView;
}
export const searchNodes = (client: Client, query: SearchQuery, signal?: AbortSignal): Promise<SearchAnswer> =>
  client.askBody("graphs/search", query, signal);

export interface TraceQuery {
  readonly graph: GraphRef;
  readonly id: string;
  readonly direction: "inputs" | "outputs" | "path";
  /** Of a path. */
  readonly to: string | null;
  /** What is drawn: the answer says how far each is away. */
  readonly shown: readonly string[];
  readonly view: StructureView;
}
export const loadTrace = (client: Client, query: TraceQuery, signal?: AbortSignal): Promise<TraceAnswer> =>
  client.askBody("graphs/trace", query, signal);

export interface PaintQuery {
  readonly graph: GraphRef;
  readonly by: PaintBy;
  /** Null: the newest. */
  readonly step: number | null;
  readonly shown: readonly string[];
  /** Its values over all steps are wanted too. */
  readonly node: string | null;
  /** Length of the ranking. */
  readonly top: number;
  readonly view: StructureView;
}
export const loadPaint = (client: Client, query: PaintQuery, signal?: AbortSignal): Promise<PaintAnswer> =>
  client.askBody("graphs/paint", query, signal);

export const listFamilies = (client: Client, graph: GraphRef, signal?: AbortSignal): Promise<FamiliesAnswer> =>
  client.askBody("graphs/families", { graph }, signal);

export interface DifferenceQuery {
  readonly a: GraphRef;
  readonly b: GraphRef;
  readonly shown_a: readonly string[];
  readonly shown_b: readonly string[];
  readonly view: StructureView;
}
export const loadDifference = (
  client: Client,
  query: DifferenceQuery,
  signal?: AbortSignal,
): Promise<DifferenceAnswer> => client.askBody("graphs/difference", query, signal);

export const loadTable = (client: Client, graph: GraphRef, signal?: AbortSignal): Promise<NodeTable> =>
  client.askBody("graphs/table", { graph }, signal);
