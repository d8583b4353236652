// Moves a column of the table with the pointer: it changes places where its middle passes that of another one.

import type { TableModel } from "./session_table.svelte";

type Target = Pick<TableModel, "columns" | "draggedIds" | "move">;

export class ColumnDrag {
  #fromPx = 0;

  /** `leftPx`: where the first column begins. */
  constructor(
    private readonly model: Target,
    private readonly leftPx: number,
  ) {}

  move(id: string, byPx: number): void {
    const { model } = this;
    if (!model.draggedIds) this.#fromPx = this.#centerOf(id);
    const others = model.columns.filter(({ column }) => column.id !== id);
    let at = this.leftPx;
    let to = 0;
    for (const { widthPx } of others) {
      if (this.#fromPx + byPx > at + widthPx / 2) to++;
      at += widthPx;
    }
    const ids = others.map(({ column }) => column.id);
    model.draggedIds = [...ids.slice(0, to), id, ...ids.slice(to)];
  }

  drop(id: string): void {
    const ids = this.model.draggedIds;
    this.model.draggedIds = null;
    if (ids) this.model.move(id, ids.indexOf(id));
  }

  #centerOf(id: string): number {
    let at = this.leftPx;
    for (const { column, widthPx } of this.model.columns) {
      if (column.id === id) return at + widthPx / 2;
      at += widthPx;
    }
    return at;
  }
}
