// Remembers the chosen theme in this browser, for pages opened without one in their address.

import type { Theme } from "./url";

const KEY = "runglass-theme";

export function recallTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    // Storage is closed to pages in some frames, a notebook's among them.
    return "system";
  }
}

export function rememberTheme(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // As above: then it is remembered by the address alone.
  }
}
