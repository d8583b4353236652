// The dialogs of the frame. Their code loads when one is first opened.

import type { Component } from "svelte";
import type { Tab } from "../cards/dashboards";
import type { Session } from "../state/session.svelte";

export interface DialogProps {
  session: Session;
  tabs: readonly Tab[];
  /** Of the view when the dialog opened. */
  address: string;
  open: (name: DialogName) => void;
  onclose: () => void;
}

type Load = () => Promise<{ default: Component<DialogProps> }>;

export const DIALOGS = {
  palette: () => import("./dialogs/Palette.svelte"),
  help: () => import("./dialogs/HelpDialog.svelte"),
  shortcuts: () => import("./dialogs/ShortcutList.svelte"),
  settings: () => import("./dialogs/SettingsDialog.svelte"),
  views: () => import("./dialogs/ViewsDialog.svelte"),
  saveView: () => import("./dialogs/SaveViewDialog.svelte"),
  notFinite: () => import("./dialogs/NotFiniteDialog.svelte"),
  health: () => import("./dialogs/HealthDialog.svelte"),
} satisfies Record<string, Load>;

export type DialogName = keyof typeof DIALOGS;
