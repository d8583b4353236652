// A line of items of which a menu takes those that do not fit: the browser wraps them, the second line is hidden.

/** The `data-name` of each item that is not in the first line. */
export function wrappedNames(line: HTMLElement): readonly string[] {
  const items = [...line.querySelectorAll<HTMLElement>("[data-name]")];
  return items.filter((item) => item.offsetTop > (items[0]?.offsetTop ?? 0)).map((item) => item.dataset["name"] ?? "");
}
