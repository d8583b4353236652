// Which graph is meant, among those that runs logged and those that the user opened. Pure.

import type { GraphRef, ListedGraph } from "./answer";
import { isNamed } from "./cards";

export type LoggedGraph = Extract<GraphRef, { run: string }>;

export const isLogged = (graph: GraphRef): graph is LoggedGraph => "run" in graph;

/** Equal for the same graph. */
export const graphKey = (graph: GraphRef | null): string =>
  !graph
    ? ""
    : isLogged(graph)
      ? JSON.stringify([graph.run, graph.name, graph.step ?? null])
      : JSON.stringify([graph.file]);

export const isSameGraph = (a: GraphRef | null, b: GraphRef | null): boolean => graphKey(a) === graphKey(b);

/** A file that the user opened in the page. */
export interface OpenedFile {
  readonly file: string;
  readonly name: string;
  readonly format: string;
}

export const findListed = (listed: readonly ListedGraph[], graph: GraphRef): ListedGraph | null =>
  (isLogged(graph) && listed.find(({ run, name }) => run === graph.run && name === graph.name)) || null;

/** What it is called: "" without a name, and of a file without the folders that it is in. */
export const nameOf = ({ name, is_asset: isFile }: Pick<ListedGraph, "name" | "is_asset">): string =>
  isNamed(name) ? (isFile ? name.slice(name.lastIndexOf("/") + 1) : name) : "";

export interface GraphTitle {
  readonly title: string;
  /** Its name, format and step, where they say something. */
  readonly about: string;
}

/** Runs mostly differ in the last part of their names, graphs of one run in their own name or step. */
export function tellApart(a: GraphTitle, b: GraphTitle): [string, string] {
  const last = ({ title }: GraphTitle): string => title.split("/").at(-1) ?? title;
  if (a.title !== b.title) return [last(a), last(b)];
  const of = (graph: GraphTitle, other: GraphTitle): string => {
    const shared = other.about.split(" · ");
    const own = graph.about.split(" · ").filter((part) => !shared.includes(part));
    return own.join(" · ") || graph.title;
  };
  return [of(a, b), of(b, a)];
}

/** The graph to begin with: the first of the first run that is shown. Compiled parts of a profile come last. */
export function firstGraph(listed: readonly ListedGraph[], shown: readonly string[]): LoggedGraph | null {
  const isShown = new Set(shown);
  const offered = listed.filter(({ run }) => isShown.has(run));
  const first = offered.find(({ format }) => format !== "HLO") ?? offered[0];
  return first ? { run: first.run, name: first.name, step: null } : null;
}

/**
 * The graph to compare with, if the user names none: one of the same name in the baseline or in another shown run, else
 * any other graph.
 */
export function otherGraph(
  listed: readonly ListedGraph[],
  shown: readonly string[],
  graph: GraphRef | null,
  baseline: string | null,
): LoggedGraph | null {
  const name = graph && isLogged(graph) ? graph.name : null;
  const run = graph && isLogged(graph) ? graph.run : null;
  const isShown = new Set(shown);
  const others = listed.filter((each) => each.run !== run || each.name !== name);
  const rank = (each: ListedGraph): number =>
    (each.name === name ? 0 : 4) + (each.run === baseline ? 0 : 2) + (isShown.has(each.run) ? 0 : 1);
  const [best] = others.toSorted((a, b) => rank(a) - rank(b));
  return best ? { run: best.run, name: best.name, step: null } : null;
}
