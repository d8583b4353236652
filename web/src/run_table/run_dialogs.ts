// The dialogs of the run table. Their code loads when one is first opened.

import type { Component } from "svelte";
import type { Session } from "../state/session.svelte";
import type { TablePreferences } from "./table_preferences.svelte";
import type { RunColumn } from "../state/view/view";
import type { RunActions } from "./run_actions";

export type RunDialog =
  | { readonly name: "columns" }
  | { readonly name: "colors" }
  | { readonly name: "extremes"; readonly column?: RunColumn }
  | { readonly name: "labels"; readonly runs: readonly string[] }
  | { readonly name: "filter"; readonly column: RunColumn }
  | { readonly name: "run"; readonly run: string; readonly field: "name" | "note" | "color" };

export interface RunDialogProps {
  session: Session;
  actions: RunActions;
  preferences: TablePreferences;
  asked: RunDialog;
  onclose: () => void;
}

export const RUN_DIALOGS: Readonly<Record<RunDialog["name"], () => Promise<{ default: Component<RunDialogProps> }>>> = {
  columns: () => import("./dialogs/ColumnPicker.svelte"),
  colors: () => import("./dialogs/ColorDialog.svelte"),
  extremes: () => import("./dialogs/ExtremesDialog.svelte"),
  labels: () => import("./dialogs/LabelsDialog.svelte"),
  filter: () => import("./dialogs/FilterDialog.svelte"),
  run: () => import("./dialogs/RunDialog.svelte"),
};
