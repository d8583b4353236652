// What cards show at this moment, for whoever takes it elsewhere: pictures, code. Cards add themselves while they are
// there.

import type { TableQuery } from "../../../api/types";
import type { Charted } from "../../../chart/chart_layout";
import type { RunGroup } from "../../../state/runs/groups";
import type { CardLine, CardSpec } from "../../../lines/card_model";

export type Theme = "light" | "dark";

/** What the chart is given, and who its lines are. */
export interface CardDrawing extends Omit<Charted, "series"> {
  readonly spec: CardSpec;
  /** One for each of the strokes. */
  readonly lines: readonly CardLine[];
  readonly breaksFalls: boolean;
  /** The axis and the smoothing of what is drawn. */
  readonly x: string;
  readonly smoothing: NonNullable<TableQuery["smoothing"]>;
  /** When lines are of groups: the runs of each. */
  readonly groups: readonly RunGroup[] | null;
}

export class CardDrawings {
  readonly #readers = new Map<string, (theme: Theme) => CardDrawing | null>();

  /** `read` is null while the card has nothing to show. Returns the function that takes the card away again. */
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
