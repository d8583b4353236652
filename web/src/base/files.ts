// Text in and out of the page: as a file, or through the clipboard.

const MAX_NAME = 120;

/** A file name that every system accepts, from arbitrary names. */
export function fileName(parts: readonly string[], ending: string): string {
  const safe = parts
    .map((part) =>
      part
        .normalize("NFC")
        .replace(/[^\p{L}\p{N}._=+-]+/gu, "_")
        .replace(/^[._]+|[._]+$/g, ""),
    )
    .filter((part) => part !== "");
  const name = [...(safe.join("-") || "runglass")].slice(0, MAX_NAME).join("");
  // Windows reserves these names, with any ending.
  return `${/^(con|prn|aux|nul|com\d|lpt\d)$/i.test(name) ? `_${name}` : name}.${ending}`;
}

/** `type`: of a text. */
export function saveFile(name: string, content: string | Blob, type = "application/json"): void {
  const blob = typeof content === "string" ? new Blob([content], { type: `${type};charset=utf-8` }) : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then; a revoked address would cut that short.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Downloads a file from the server, which names it. */
export function saveAddress(href: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = "";
  link.click();
}

/** The files that the user picks; none if they cancel. */
export function pickFiles({ accept = "", many = false } = {}): Promise<readonly File[]> {
  return new Promise((done) => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = accept;
    input.multiple = many;
    input.addEventListener("cancel", () => done([]));
    input.addEventListener("change", () => done([...(input.files ?? [])]));
    input.click();
  });
}

/** The text of a file that the user picks; null if they cancel. */
export async function pickText(accept = ".json"): Promise<string | null> {
  const [file] = await pickFiles({ accept });
  return file ? file.text().catch(() => null) : null;
}

/** Copies the text and returns whether that worked. Pages without HTTPS need the old API. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.style.position = "fixed";
    field.style.opacity = "0";
    // While a dialog is open, nothing outside of it can be selected.
    const place = document.querySelector("dialog[open]") ?? document.body;
    const focused = document.activeElement as HTMLElement | null;
    place.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    focused?.focus();
    return isCopied;
  }
}
