// Where the cells of a scatter matrix are: metrics as rows, all columns across. Pure.

export interface MatrixLayout {
  readonly cellWidthPx: number;
  readonly cellHeightPx: number;
  /** Room for the labels of the rows, and of the columns. */
  readonly leftPx: number;
  readonly bottomPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

const GAP_PX = 6;
const LEAST_WIDTH_PX = 92;
const MOST_WIDTH_PX = 220;
const LEAST_HEIGHT_PX = 84;
const MOST_HEIGHT_PX = 230;

/** Cells fill the room; where they would become too small to read, the matrix is wider than its room and scrolls. */
export function layoutMatrix(
  columns: number,
  rows: number,
  room: { readonly widthPx: number; readonly heightPx: number },
  leftPx: number,
  bottomPx: number,
): MatrixLayout {
  const fit = (px: number, count: number, least: number, most: number): number =>
    Math.floor(Math.min(most, Math.max(least, px / Math.max(1, count) - GAP_PX)));
  const cellWidthPx = fit(room.widthPx - leftPx, columns, LEAST_WIDTH_PX, MOST_WIDTH_PX);
  const cellHeightPx = fit(room.heightPx - bottomPx, rows, LEAST_HEIGHT_PX, MOST_HEIGHT_PX);
  return {
    cellWidthPx,
    cellHeightPx,
    leftPx,
    bottomPx,
    widthPx: leftPx + columns * (cellWidthPx + GAP_PX),
    heightPx: bottomPx + rows * (cellHeightPx + GAP_PX),
  };
}

export interface Cell {
  readonly column: number;
  readonly row: number;
}

/** The left upper corner. */
export const cellOrigin = (layout: MatrixLayout, { column, row }: Cell): { xPx: number; yPx: number } => ({
  xPx: layout.leftPx + column * (layout.cellWidthPx + GAP_PX),
  yPx: row * (layout.cellHeightPx + GAP_PX),
});

/** Null outside, and between cells. */
export function cellAt(layout: MatrixLayout, columns: number, rows: number, xPx: number, yPx: number): Cell | null {
  const column = Math.floor((xPx - layout.leftPx) / (layout.cellWidthPx + GAP_PX));
  const row = Math.floor(yPx / (layout.cellHeightPx + GAP_PX));
  if (column < 0 || column >= columns || row < 0 || row >= rows) return null;
  const origin = cellOrigin(layout, { column, row });
  return xPx <= origin.xPx + layout.cellWidthPx && yPx <= origin.yPx + layout.cellHeightPx ? { column, row } : null;
}
