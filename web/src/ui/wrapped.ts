// A line of items of which a menu takes those that do not fit: the browser wraps them, the second line is hidden.

/** The `data-name` of each item that is not in the first line, or wider than it. */
export function wrappedNames(line: HTMLElement): readonly string[] {
  const items = [...line.querySelectorAll<HTMLElement>("[data-name]")];
  const topPx = items[0]?.offsetTop ?? 0;
  return items
    .filter((item) => item.offsetTop > topPx || item.offsetWidth > line.clientWidth)
    .map((item) => item.dataset["name"] ?? "");
}
