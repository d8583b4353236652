// Keyboard shortcuts of the clip that is hovered, focused or playing.

export type ClipKey =
  | { readonly seekBy: number }
  | { readonly seekTo: "start" | "end" }
  | { readonly zoomBy: number }
  | { readonly run: number }
  | "play"
  | "unzoom";

const STEP_S = 1;
const SMALL_STEP_S = 0.1;
const ZOOM = 1.5;

/** Null for any other key. */
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
      return { run: 0 };
    case "b":
      return { run: 1 };
    default:
      return /^[1-9]$/.test(key) ? { run: Number(key) - 1 } : null;
  }
}

/** Keys go to the hovered clip, else the focused one, else the one that plays. */
export function takesKeys(clip: HTMLElement, isPlaying: boolean, target: EventTarget | null): boolean {
  // These have keys of their own.
  if (
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable], dialog, [role=menu], [role=dialog]")
  )
    return false;
  const hovered = document.querySelector("[data-clip]:hover");
  if (hovered) return hovered === clip;
  const focused = document.activeElement?.closest("[data-clip]");
  return focused ? focused === clip : isPlaying;
}
