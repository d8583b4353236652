// What a card can be about: a kind of series, or a family of assets. The prefix keeps them apart, because "graph" is
// both.

import type { Family, Kind } from "./types";

export type AssetKind = `assets/${Family}`;
export type CardKind = Kind | AssetKind;

const PREFIX = "assets/";

export const isAssetKind = (kind: CardKind): kind is AssetKind => kind.startsWith(PREFIX);
export const familyOf = (kind: AssetKind): Family => kind.slice(PREFIX.length) as Family;
