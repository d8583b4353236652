// Files that are dragged onto a page of a dashboard.

export class FileDrop {
  /** Files are over the page and would be opened. */
  isOver = $state(false);

  constructor(private readonly open: (files: readonly File[]) => void) {}

  readonly ondragover = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.isOver = true;
  };

  readonly ondragleave = (event: DragEvent): void => {
    if (!(event.currentTarget as Node).contains(event.relatedTarget as Node | null)) this.isOver = false;
  };

  readonly ondrop = (event: DragEvent): void => {
    this.isOver = false;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    this.open(files);
  };
}
