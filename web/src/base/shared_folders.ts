/** Length of the folder prefix that all names share. */
export function sharedFolders(names: readonly string[]): number {
  const [first = "", ...others] = names;
  let shared = 0;
  for (
    let end = first.indexOf("/") + 1;
    end > 0 && others.every((name) => name.startsWith(first.slice(0, end)));
    end = first.indexOf("/", end) + 1
  )
    shared = end;
  return shared;
}
