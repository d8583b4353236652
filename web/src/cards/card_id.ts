// Ids of cards, for pins, heights and addresses. The id of a scalar chart is its tag. Pure.

import type { CardKind } from "../api/asset_kind";
import { readParts, writeParts } from "../base/parts";

export interface CardRef {
  readonly kind: CardKind;
  /** Null: all shown runs. */
  readonly run: string | null;
  /** For assets, the name. */
  readonly tag: string;
}

const MARK = "@";

/** `@image;run;tag` or `@assets/profile;run;name` */
export const cardId = ({ kind, run, tag }: CardRef): string =>
  kind === "scalar" ? tag : MARK + writeParts([kind, run ?? "", tag]);

/** Anything else is a scalar chart. */
export function readCardId(id: string): CardRef {
  if (id.startsWith(MARK)) {
    const [kind, run, tag, ...more] = readParts(id.slice(MARK.length));
    if (kind && run !== undefined && tag !== undefined && more.length === 0)
      return { kind: kind as CardKind, run: run || null, tag };
  }
  return { kind: "scalar", run: null, tag: id };
}
