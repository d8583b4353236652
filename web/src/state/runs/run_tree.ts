// Runs as a tree of directories, and its rows in a table. A directory that is itself a run is one node; so is a chain
// of directories with single entries. Pure; knows neither the selection nor columns.

export interface RunNode {
  /** Path from the log directory: the name of a run or a directory. */
  readonly path: string;
  /** The part after the parent's path, e.g. "b/c" for a chain. */
  readonly label: string;
  /** Whether the path is a run, with or without others below it. */
  readonly isRun: boolean;
  readonly children: readonly RunNode[];
  /** All runs at or below, in the given order. */
  readonly runs: readonly string[];
}

export interface RunRow {
  readonly node: RunNode;
  /** 1 for the rows at the top. */
  readonly level: number;
  readonly place: number;
  readonly siblings: number;
  /** Null for a row without children. */
  readonly isOpen: boolean | null;
}

/** Siblings are in the order of their first runs. */
export function makeTree(names: readonly string[]): RunNode[] {
  return nodesBelow("", names, 0);
}

/** `from`: where in each name the part below `parent` begins. */
function nodesBelow(parent: string, names: readonly string[], from: number): RunNode[] {
  const byPart = new Map<string, string[]>();
  for (const name of names) {
    const slash = name.indexOf("/", from);
    const part = slash < 0 ? name.slice(from) : name.slice(from, slash);
    const same = byPart.get(part);
    if (same) same.push(name);
    else byPart.set(part, [name]);
  }
  return [...byPart].map(([part, runs]) => makeNode(parent, part, runs));
}

function makeNode(parent: string, part: string, runs: readonly string[]): RunNode {
  const path = parent === "" ? part : `${parent}/${part}`;
  const isRun = runs.includes(path);
  const below = isRun ? runs.filter((name) => name !== path) : runs;
  const children = below.length > 0 ? nodesBelow(path, below, path.length + 1) : [];
  const [first] = children;
  if (!isRun && first && children.length === 1) return { ...first, label: `${part}/${first.label}` };
  return { path, label: part, isRun, children, runs };
}

/** One row per run, with its full name. */
export function makeList(names: readonly string[]): RunNode[] {
  return names.map((name) => ({ path: name, label: name, isRun: true, children: [], runs: [name] }));
}

/** The visible rows when these directories are collapsed. */
export function makeRows(nodes: readonly RunNode[], isCollapsed: (path: string) => boolean): RunRow[] {
  const rows: RunRow[] = [];
  const add = (siblings: readonly RunNode[], level: number): void => {
    siblings.forEach((node, i) => {
      const isOpen = node.children.length > 0 ? !isCollapsed(node.path) : null;
      rows.push({ node, level, place: i + 1, siblings: siblings.length, isOpen });
      if (isOpen) add(node.children, level + 1);
    });
  };
  add(nodes, 1);
  return rows;
}

/** The index of the parent row; -1 at the top. */
export function parentIndex(rows: readonly RunRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let i = index - 1; i >= 0; i--) if ((rows[i] as RunRow).level < level) return i;
  return -1;
}

/**
 * The runs that a selection from one row to another includes: those of the rows between, with everything in collapsed
 * ones.
 */
export function runsBetween(rows: readonly RunRow[], from: number, to: number): string[] {
  const [first, last] = from <= to ? [from, to] : [to, from];
  return rows
    .slice(first, last + 1)
    .flatMap(({ node, isOpen }) => (isOpen ? (node.isRun ? [node.path] : []) : node.runs));
}
