// Undoes one change of marks that others may have changed since: only what is still as the change left it.

export type Undo = () => void;

/** The value to restore; `now` where somebody has changed it since. */
export const undoneValue = <T>(before: T, mine: T, now: T): T => (now === mine ? before : now);

/** Undefined entries are removed. */
export function undoneEntries<T>(
  before: ReadonlyMap<string, T>,
  mine: ReadonlyMap<string, T>,
  now: ReadonlyMap<string, T>,
  undone: (before: T | undefined, mine: T | undefined, now: T | undefined) => T | undefined = undoneValue,
): Map<string, T> {
  const entries = new Map(now);
  for (const name of new Set([...before.keys(), ...mine.keys()])) {
    if (before.get(name) === mine.get(name)) continue;
    const value = undone(before.get(name), mine.get(name), now.get(name));
    if (value === undefined) entries.delete(name);
    else entries.set(name, value);
  }
  return entries;
}
