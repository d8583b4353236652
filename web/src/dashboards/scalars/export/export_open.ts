// Opens the export window over the page, so that it outlives the menu that opened it.

import { type ComponentProps, mount, unmount } from "svelte";
import ExportDialog from "./ExportDialog.svelte";

export function openExport(props: Omit<ComponentProps<typeof ExportDialog>, "onclose">): void {
  const dialog = mount(ExportDialog, {
    target: document.body,
    props: { ...props, onclose: () => void unmount(dialog) },
  });
}
