// The short message at the bottom of the page: what the page did or could not do, with a way to undo it. There is one
// at a time; a newer one replaces it.

export interface Message {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

export class Messages {
  last = $state.raw<Message | null>(null);
  #lastId = 0;

  say(text: string, { isError = false, action = null }: Partial<Pick<Message, "isError" | "action">> = {}): void {
    this.last = { id: ++this.#lastId, text, isError, action };
  }

  drop(id: number): void {
    if (this.last?.id === id) this.last = null;
  }
}
