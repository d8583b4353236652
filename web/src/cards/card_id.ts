// What a card is about, as one text: for pins, heights and addresses. A chart of scalars is called by its tag alone.
// Pure.

import type { Kind } from "../api/types";
import { readParts, writeParts } from "../base/parts";

export interface CardRef {
  readonly kind: Kind;
  /** Null: the card is about all shown runs. */
  readonly run: string | null;
  readonly tag: string;
}

const MARK = "@";

/** `@image;run;tag` */
export const cardId = ({ kind, run, tag }: CardRef): string =>
  kind === "scalar" ? tag : MARK + writeParts([kind, run ?? "", tag]);

/** Anything that is not the id of another card is a chart of scalars. */
export function readCardId(id: string): CardRef {
  if (id.startsWith(MARK)) {
    const [kind, run, tag, ...more] = readParts(id.slice(MARK.length));
    if (kind && run !== undefined && tag !== undefined && more.length === 0)
      return { kind: kind as Kind, run: run || null, tag };
  }
  return { kind: "scalar", run: null, tag: id };
}
