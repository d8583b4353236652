// Letters that the user typed while the code of a dialog was loading: its field gets them once it has the focus.

import type { Commands } from "../state/commands.svelte";
import { isTextField } from "./shortcuts";

/** Keeps the key for the dialog that is about to open; whether it is text for one. */
export function typeAhead(commands: Commands, event: KeyboardEvent): boolean {
  if (isTextField(event.target)) return false;
  const isFirst = commands.typed === "";
  if (!commands.keep(event)) return false;
  if (isFirst) requestAnimationFrame(() => hand(commands));
  return true;
}

function hand(commands: Commands): void {
  if (commands.isPaused) requestAnimationFrame(() => hand(commands));
  else insertText(document.activeElement, commands.takeTyped());
}

/** Replaces what is selected, as typing does. */
export function insertText(field: Element | null, text: string): void {
  const isText = field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && isTextField(field));
  if (!isText || text === "" || field.selectionStart === null) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd ?? field.selectionStart, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
