// How the rows of a table are sorted by a click on the heading of a column.

export interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
}

/** The largest numbers first, then the smallest, then as they came (null). */
export function nextSort(sort: Sort | null, column: string, isNumber: boolean): Sort | null {
  if (sort?.column !== column) return { column, isDescending: isNumber };
  return sort.isDescending === isNumber ? { column, isDescending: !isNumber } : null;
}
