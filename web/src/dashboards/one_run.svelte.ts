// Pages that show something of one run: the run table and the rail light it, and another one is chosen there.

import type { Session } from "../state/session.svelte";

interface OneRun {
  /** The run that is shown; null: none, or a file that was dropped. */
  readonly shown: () => string | null;
  /** What can be shown. */
  readonly listed: () => readonly { readonly run: string }[];
  readonly choose: (run: string) => void;
}

/** Call it where the page is created. */
export function showOneRun({ runs }: Session, { shown, listed, choose }: OneRun): void {
  $effect(() => {
    runs.nearestInChart = shown();
    return () => (runs.nearestInChart = null);
  });
  $effect(() => {
    runs.choice = { runs: new Set(listed().map(({ run }) => run)), choose };
    return () => (runs.choice = null);
  });
}
