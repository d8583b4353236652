// Short names of groups: a hyperparameter that has one value in all of them says nothing and is left out. Pure.

import type { RunGroup } from "../../state/runs/groups";

// Hyperparameters stand between commas, what comes on top after a dot.
const SEPARATOR = /(?:, | · )(?=[^ =]+=|[^=]*$)/;

const nameOf = (part: string): string => part.slice(0, part.indexOf("="));

export function shortenLabels(groups: readonly RunGroup[]): RunGroup[] {
  if (groups.length < 2) return [...groups];
  const parts = groups.map(({ label }) => label.split(SEPARATOR));
  const values = new Map<string, Set<string>>();
  for (const part of parts.flat()) {
    const name = nameOf(part);
    values.set(name, (values.get(name) ?? new Set()).add(part));
  }
  const isTelling = (part: string): boolean => !part.includes("=") || (values.get(nameOf(part))?.size ?? 0) > 1;
  const short = parts.map((each) => each.filter(isTelling).join(", "));
  // Rather long than empty or the same twice.
  const isClear = short.every(Boolean) && new Set(short).size === short.length;
  return groups.map((group, i) => (isClear ? { ...group, label: short[i] ?? group.label } : group));
}
