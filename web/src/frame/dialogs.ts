// The windows that the frame can open. Their code is fetched when one is first asked for.

import type { Component } from "svelte";
import type { Tab } from "../cards/dashboards";
import type { Session } from "../state/session.svelte";

export interface DialogProps {
  session: Session;
  tabs: readonly Tab[];
  /** Of the view as it was when the window opened. */
  address: string;
  open: (name: DialogName) => void;
  onclose: () => void;
}

type Load = () => Promise<{ default: Component<DialogProps> }>;

export const DIALOGS = {
  palette: () => import("./dialogs/Palette.svelte"),
  shortcuts: () => import("./dialogs/ShortcutList.svelte"),
  settings: () => import("./dialogs/SettingsDialog.svelte"),
  views: () => import("./dialogs/ViewsDialog.svelte"),
  saveView: () => import("./dialogs/SaveViewDialog.svelte"),
  health: () => import("./dialogs/HealthDialog.svelte"),
} satisfies Record<string, Load>;

export type DialogName = keyof typeof DIALOGS;
