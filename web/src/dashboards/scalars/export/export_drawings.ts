// What cards currently show, for exports as pictures or code. Cards register themselves while they are mounted.

import type { TableQuery } from "../../../api/types";
import type { Charted } from "../../../chart/chart_layout";
import type { RunGroup } from "../../../state/runs/groups";
import type { CardLine, CardSpec } from "../../../lines/card_model";

export type Theme = "light" | "dark";

/** The chart's input, and the run and tag of each line. */
export interface CardDrawing extends Omit<Charted, "series"> {
  readonly spec: CardSpec;
  /** One for each stroke. */
  readonly lines: readonly CardLine[];
  readonly breaksFalls: boolean;
  /** The axis and smoothing of the drawing. */
  readonly x: string;
  readonly smoothing: NonNullable<TableQuery["smoothing"]>;
  /** The runs of each group, if the lines show groups. */
  readonly groups: readonly RunGroup[] | null;
}

export class CardDrawings {
  readonly #readers = new Map<string, (theme: Theme) => CardDrawing | null>();

  /** `read` returns null while the card has nothing to show. Returns a function that removes the card. */
  add(id: string, read: (theme: Theme) => CardDrawing | null): () => void {
    this.#readers.set(id, read);
    return () => {
      if (this.#readers.get(id) === read) this.#readers.delete(id);
    };
  }

  read(id: string, theme: Theme): CardDrawing | null {
    return this.#readers.get(id)?.(theme) ?? null;
  }
}
