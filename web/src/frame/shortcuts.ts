// Turns key presses into commands: single keys, keys with Ctrl (Command on a Mac), and two keys one after the other.

import type { Command } from "../state/commands.svelte";

const isMac = (): boolean => /Mac|iP(hone|ad)/.test(navigator.platform);
/** The maximum time between two keys of a sequence. */
const SECOND_KEY_MS = 1_500;

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

export class Shortcuts {
  #first = "";
  #firstMs = 0;

  /** The command that this key press completes, if any. `isTyping`: the focus is in a text field. */
  press(event: Press, commands: readonly Command[], nowMs: number, isTyping: boolean): Command | undefined {
    const key = keyName(event);
    if (!key || (isTyping && !key.startsWith("Ctrl+"))) return undefined;
    const both = nowMs - this.#firstMs < SECOND_KEY_MS ? `${this.#first} ${key}` : "";
    const found = commands.find((command) => command.keys === both) ?? commands.find((command) => command.keys === key);
    this.#first = found ? "" : key;
    this.#firstMs = nowMs;
    return found;
  }
}

/** In the notation of commands; "" for a modifier alone or a combination that belongs to the browser. */
export function keyName({ key, ctrlKey, metaKey, altKey, shiftKey }: Press): string {
  if (altKey || ["Control", "Meta", "Shift", "Alt", "Dead"].includes(key)) return "";
  if (!ctrlKey && !metaKey) return shiftKey && key.length > 1 ? `Shift+${key}` : key;
  return `Ctrl+${shiftKey ? "Shift+" : ""}${key.length === 1 ? key.toLowerCase() : key}`;
}

/** For display: each key as keyboards label it. */
export function keyCaps(keys: string): string[] {
  const words: Record<string, string> = {
    Ctrl: isMac() ? "⌘" : "Ctrl",
    ArrowLeft: "←",
    ArrowRight: "→",
    ArrowUp: "↑",
    ArrowDown: "↓",
    Escape: "Esc",
  };
  return keys
    .split(/[ ]|\+(?=.)/)
    .flatMap((key) => words[key] ?? (/^[A-Z]$/.test(key) ? ["⇧", key] : key.length === 1 ? key.toUpperCase() : key));
}

/** Whether keys typed there are text rather than commands. */
export function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "button", "range", "color", "file"].includes(target.type);
  return (
    target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable === true
  );
}
