// What keys mean to the clip that is pointed at, focused or heard.

export type ClipKey =
  | { readonly seekBy: number }
  | { readonly seekTo: "start" | "end" }
  | { readonly zoomBy: number }
  | { readonly hear: number }
  | "play"
  | "unzoom";

const STEP_S = 1;
const SMALL_STEP_S = 0.1;
const ZOOM = 1.5;

/** Null for a key that is not ours. */
export function clipKeyOf({
  key,
  shiftKey,
  ctrlKey,
  metaKey,
  altKey,
}: Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">): ClipKey | null {
  if (ctrlKey || metaKey || altKey) return null;
  const step = shiftKey ? SMALL_STEP_S : STEP_S;
  switch (key) {
    case " ":
      return "play";
    case "ArrowLeft":
      return { seekBy: -step };
    case "ArrowRight":
      return { seekBy: step };
    case "Home":
      return { seekTo: "start" };
    case "End":
      return { seekTo: "end" };
    case "+":
    case "=":
      return { zoomBy: 1 / ZOOM };
    case "-":
      return { zoomBy: ZOOM };
    case "0":
      return "unzoom";
    case "a":
      return { hear: 0 };
    case "b":
      return { hear: 1 };
    default:
      return /^[1-9]$/.test(key) ? { hear: Number(key) - 1 } : null;
  }
}

/** Whether the keys go to this clip: to the one pointed at, else the focused one, else the one that is heard. */
export function isMeant(clip: HTMLElement, isHeard: boolean, target: EventTarget | null): boolean {
  // Where keys have a meaning of their own.
  if (
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable], dialog, [role=menu], [role=dialog]")
  )
    return false;
  const pointed = document.querySelector("[data-clip]:hover");
  if (pointed) return pointed === clip;
  const focused = document.activeElement?.closest("[data-clip]");
  return focused ? focused === clip : isHeard;
}
