// What a card is about, as one text: for pins, heights and addresses. A chart of scalars is called by its tag alone.
// Pure.

import type { CardKind } from "../api/asset_kind";
import { readParts, writeParts } from "../base/parts";

export interface CardRef {
  readonly kind: CardKind;
  /** Null: the card is about all shown runs. */
  readonly run: string | null;
  /** For assets, the name. */
  readonly tag: string;
}

const MARK = "@";

/** `@image;run;tag` or `@assets/profile;run;name` */
export const cardId = ({ kind, run, tag }: CardRef): string =>
  kind === "scalar" ? tag : MARK + writeParts([kind, run ?? "", tag]);

/** Anything that is not the id of another card is a chart of scalars. */
export function readCardId(id: string): CardRef {
  if (id.startsWith(MARK)) {
    const [kind, run, tag, ...more] = readParts(id.slice(MARK.length));
    if (kind && run !== undefined && tag !== undefined && more.length === 0)
      return { kind: kind as CardKind, run: run || null, tag };
  }
  return { kind: "scalar", run: null, tag: id };
}
