// Formulas as MathML. Fetched with the first text that has one.

import temml from "temml";

/**
 * Markup that must still be sanitised. A formula that is none shows its source with the reason; null: not even that can
 * be done.
 */
export function renderMaths(tex: string, isBlock: boolean): string | null {
  try {
    // Bounded: a macro may call itself. Not trusted: no links and no pictures from a formula.
    return temml.renderToString(tex, {
      displayMode: isBlock,
      throwOnError: false,
      trust: false,
      maxExpand: 200,
      errorColor: "var(--bad)",
    });
  } catch {
    // It throws on some mistakes all the same, and one formula must not take the whole text with it.
    return null;
  }
}
