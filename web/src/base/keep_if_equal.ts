// Returns the old value while a new one is equal, so that nothing that depends on it runs again.

export function keepIfEqual<T>(isSame: (a: T, b: T) => boolean): (next: T) => T {
  let kept: T | undefined;
  return (next) => {
    if (kept === undefined || !isSame(kept, next)) kept = next;
    return kept;
  };
}

/** Of a list from JSON: entries that are equal stay the same objects, and so does a list of the same entries. */
export function keepEqualEntries<T>(): (next: readonly T[]) => readonly T[] {
  const keepList = keepIfEqual<readonly T[]>(isSameList);
  let kept = new Map<string, T>();
  return (next) => {
    const texts = next.map((each) => JSON.stringify(each));
    const entries = next.map((each, i) => kept.get(texts[i] as string) ?? each);
    kept = new Map(entries.map((each, i) => [texts[i] as string, each]));
    return keepList(entries);
  };
}

/** For what came from JSON and is small. */
export const isSameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export const isSameList = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i]);

export const isSameMap = <V>(a: ReadonlyMap<string, V>, b: ReadonlyMap<string, V>): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.has(key) && b.get(key) === value);
