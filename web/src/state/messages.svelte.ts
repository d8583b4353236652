// Short messages at the bottom of the page: what the page did or could not do, with a way to undo it.

import { untrack } from "svelte";

export interface Message {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

const MAX_MESSAGES = 3;

export class Messages {
  all = $state.raw<readonly Message[]>([]);
  #lastId = 0;

  say(text: string, { isError = false, action = null }: Partial<Pick<Message, "isError" | "action">> = {}): void {
    // An effect that shows a message must not run again when the message is dismissed.
    const others = untrack(() => this.all).filter((message) => message.text !== text);
    this.all = [...others, { id: ++this.#lastId, text, isError, action }].slice(-MAX_MESSAGES);
  }

  drop(id: number): void {
    this.all = this.all.filter((message) => message.id !== id);
  }
}
