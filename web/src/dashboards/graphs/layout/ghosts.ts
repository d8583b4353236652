// Nodes that only the other graph of a difference has, as nodes of the level where they would stand.

import type { Ghost, Level, LevelEdge, LevelNode } from "../answer";

// No name of a node in a file begins like this.
const MARK = "\0ghost ";

export const isGhost = ({ id }: Pick<LevelNode, "id">): boolean => id.startsWith(MARK);

export function addGhosts(levels: ReadonlyMap<string, Level>, ghosts: readonly Ghost[]): ReadonlyMap<string, Level> {
  if (ghosts.length === 0) return levels;
  const added = new Map(levels);
  ghosts.forEach((ghost, number) => {
    const level = added.get(ghost.group);
    if (!level) return;
    const at = level.nodes.length;
    const places = new Map(level.nodes.map(({ id }, i) => [id, i]));
    const join = (ids: readonly string[], edge: (other: number) => LevelEdge): LevelEdge[] =>
      ids.flatMap((id) => {
        const other = places.get(id);
        return other === undefined ? [] : [edge(other)];
      });
    added.set(ghost.group, {
      ...level,
      nodes: [...level.nodes, { id: `${MARK}${number}`, label: ghost.label, type: "op" }],
      edges: [
        ...level.edges,
        ...join(ghost.from, (from) => ({ from, to: at })),
        ...join(ghost.to, (to) => ({ from: at, to })),
      ],
    });
  });
  return added;
}
