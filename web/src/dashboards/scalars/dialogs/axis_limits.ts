// Limits of an axis as they are typed. Pure.

import type { Range } from "../../../state/view/view";

export type Limits = { readonly range: Range | undefined } | { readonly error: string };

/** Both or none; in the wrong order they are exchanged. */
export function readLimits(low: string, high: string): Limits {
  if (low.trim() === "" && high.trim() === "") return { range: undefined };
  if (low.trim() === "" || high.trim() === "") return { error: "Type both limits, or none for an automatic axis." };
  const [a, b] = [Number(low), Number(high)];
  if (!Number.isFinite(a) || !Number.isFinite(b))
    return { error: `${Number.isFinite(a) ? high.trim() : low.trim()} is not a number.` };
  if (a === b) return { error: "The limits must differ." };
  return { range: a < b ? [a, b] : [b, a] };
}
