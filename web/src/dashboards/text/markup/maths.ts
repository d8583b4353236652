// Renders formulas as MathML. Loads with the first text that contains one.

import temml from "temml";

/**
 * Returns markup that must still be sanitised. An invalid formula shows its source with the reason. Returns null if
 * even that fails.
 */
export function renderMaths(tex: string, isBlock: boolean): string | null {
  try {
    // Bounded, because a macro may call itself. Not trusted, so that formulas cannot contain links or pictures.
    return temml.renderToString(tex, {
      displayMode: isBlock,
      throwOnError: false,
      trust: false,
      maxExpand: 200,
      // In em and in points: a rule may not cover the page.
      maxSize: [40, 400],
      errorColor: "var(--bad)",
    });
  } catch {
    // It still throws on some errors, and one formula must not break the whole text.
    return null;
  }
}
