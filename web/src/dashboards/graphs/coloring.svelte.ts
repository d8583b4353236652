// The colours of the nodes and what the legend says about them: categories, costs, values of a training at the cursor,
// or values from a file. Created in a component and ends with it.

import { untrack } from "svelte";
import { CardData } from "../../cards/card_data.svelte";
import type { FamiliesAnswer, Family, GraphFacts, LevelNode, PaintAnswer, PaintBy } from "./answer";
import { listFamilies, loadPaint, type PaintQuery } from "./ask";
import {
  CATEGORIES,
  type Category,
  categoryOf,
  type ColorBy,
  colorId,
  type Entry,
  inkOn,
  makeEntries,
  MEASURES,
  NOT_ON_TPU,
  placeOn,
  rampColor,
  readColor,
  swatchOf,
  tintOf,
  type ValueScale,
} from "./colors";
import type { NodePaint } from "./graph_state.svelte";
import { graphKey, isLogged } from "./graph_ref";
import type { GraphsPage } from "./graphs_page.svelte";
import { colorOption, pickedEntries, setColor, setPicked } from "./options";
import type { Pane } from "./pane.svelte";
import { quantityText } from "./quantities";

const RANKED = 50;
const NO_PAINT: ReadonlyMap<string, NodePaint> = new Map();
const NONE_DIMMED: ReadonlySet<string> = new Set();

interface Painted {
  readonly generation: number;
  readonly answer: PaintAnswer;
}

export class Coloring {
  /** Somebody looks at the list of families. */
  isChoosing = $state(false);
  readonly #data: CardData<PaintQuery, Painted>;
  readonly #families: CardData<PaintQuery["graph"], FamiliesAnswer>;

  constructor(
    private readonly page: GraphsPage,
    private readonly pane: Pane = page.main,
    /** Whose colours the categories have; default: their own. */
    private readonly like: Coloring | null = null,
  ) {
    const { session } = page;
    this.#data = new CardData<PaintQuery, Painted>(
      session,
      async (query, signal) => {
        const { generation } = session.changes;
        return { generation, answer: await loadPaint(session.client, query, signal) };
      },
      {
        wanted: () => {
          const { graph } = pane;
          const by = this.#paintBy;
          if (!graph || !by || !pane.isShown) return null;
          const node = pane.view.selected;
          const query = { graph, by, step: this.#step, shown: pane.shown, node, top: RANKED, view: pane.structure };
          return { key: `${this.#id} ${this.#step} ${node} ${pane.shownKey}`, query };
        },
        isWanted: () => true,
        about: ({ generation }) => (this.by.kind === "family" ? { generation, runs: session.runs.names } : null),
      },
    );
    this.#families = new CardData(session, (graph, signal) => listFamilies(session.client, graph, signal), {
      wanted: () => {
        const { graph } = pane;
        return graph && pane.isShown ? { key: graphKey(graph), query: graph } : null;
      },
      isWanted: () => pane === page.main && (this.isChoosing || this.by.kind === "family"),
    });
    // Outside: the cursor is asked for where it can stop.
    $effect(() => {
      if (this.by.kind === "family") untrack(() => session.cursor.want());
    });
    // Outside: the canvas.
    $effect(() => {
      const { paint, dimmed } = this;
      untrack(() => {
        pane.view.paint = paint;
        pane.view.dimmed = dimmed;
      });
    });
  }

  readonly #option = $derived.by(() => colorOption(this.page.settings));
  readonly by = $derived.by((): ColorBy => {
    const by = readColor(this.#option);
    return by.kind === "values" && !this.page.given.values ? readColor("") : by;
  });
  readonly #id = $derived.by(
    () => `${colorId(this.by)} ${this.by.kind === "values" ? this.page.given.values?.name : ""}`,
  );
  /** What the server is asked for; null: the nodes say it themselves. */
  readonly #paintBy = $derived.by((): PaintBy | null => {
    const { by } = this;
    if (by.kind === "measure") return by.measure;
    if (by.kind === "family") return { family: by.family, run: this.#runOf(by.run), statistic: by.statistic };
    return by.kind === "values" ? { values: this.page.given.values?.values ?? {} } : null;
  });
  /** The graph beside the main one shows the values of its own run. */
  #runOf(run: string): string | null {
    const { graph } = this.pane;
    return this.pane !== this.page.main && graph && isLogged(graph) ? graph.run : run || null;
  }
  /** The step at the cursor; null: the newest. */
  readonly #step = $derived.by((): number | null => {
    const { session } = this.page;
    if (this.by.kind !== "family" || session.settings.cursor === null) return null;
    const step = session.cursor.on("step");
    return step === null ? null : Math.round(step);
  });

  readonly families = $derived.by((): readonly Family[] => this.#families.value?.families ?? []);
  readonly isListing = $derived.by(() => this.#families.value === null && this.#families.error === null);
  readonly family = $derived.by((): Family | null => {
    const { by } = this;
    return by.kind === "family"
      ? (this.families.find(({ id, run }) => id === by.family && run === by.run) ?? null)
      : null;
  });

  readonly label = $derived.by((): string => {
    const { by } = this;
    if (by.kind === "category") return CATEGORIES[by.category].label;
    if (by.kind === "measure") return MEASURES[by.measure].label;
    return by.kind === "family" ? (this.family?.label ?? by.family) : (this.page.given.values?.name ?? "Values");
  });

  choose(by: ColorBy): void {
    setColor(this.page.settings, colorId(by));
  }

  /** Of numbers; null while it is unknown. Stays until the next one comes, so that playing does not flicker. */
  readonly answer = $derived.by((): PaintAnswer | null => (this.#paintBy ? (this.#data.value?.answer ?? null) : null));
  readonly isCurrent = $derived.by(() => this.#data.isCurrent);
  readonly error = $derived.by(() => (this.#paintBy ? this.#data.error : null));
  readonly unit = $derived.by(() =>
    this.by.kind === "measure" ? MEASURES[this.by.measure].unit : (this.answer?.unit ?? ""),
  );
  readonly scale = $derived.by((): ValueScale | null => {
    const { answer } = this;
    if (!answer || answer.min === null || answer.max === null) return null;
    const { histogram } = answer;
    const low = histogram?.edges[0] ?? answer.min;
    let high = histogram?.edges.at(-1) ?? answer.max;
    // Costs are summed upward: a closed group may have more than any node.
    if (this.by.kind === "measure")
      for (const [id, value] of this.values) if (!this.pane.view.isOpen(id)) high = Math.max(high, value);
    return { low, high, isLog: histogram?.is_log ?? false };
  });
  /** By id of the shown nodes. */
  readonly values = $derived.by((): ReadonlyMap<string, number> => {
    const { answer } = this;
    const asked = this.#data.answer?.query.shown ?? [];
    const values = new Map<string, number>();
    asked.forEach((id, i) => {
      const value = answer?.values[i];
      if (value !== null && value !== undefined) values.set(id, value);
    });
    return values;
  });

  readonly entries = $derived.by((): readonly Entry[] => {
    const { by, pane } = this;
    if (by.kind !== "category") return [];
    const counts = pane.view.facts ? countsOf(pane.view.facts, by.category) : null;
    const nodes = by.category === "tpu" ? pane.view.nodes.filter(({ id }) => !pane.view.isOpen(id)) : pane.view.nodes;
    const entries = makeEntries(nodes, by.category, counts);
    if (!this.like) return entries;
    // Numbers of structures belong to one graph.
    const nameOf = ({ value, label }: Entry): string => (by.category === "structure" ? label : value);
    const known = new Map(this.like.entries.map((entry) => [nameOf(entry), entry.index]));
    return entries.map((entry) => ({ ...entry, index: known.get(nameOf(entry)) ?? -1 }));
  });
  /** Of an entry in the legend; null: it has no colour. */
  swatchOf({ value, index }: Entry): string | null {
    const { theme } = this.page;
    if (this.by.kind === "category" && this.by.category === "tpu")
      return rampColor(value === NOT_ON_TPU ? 1 : 0, theme);
    return index < 0 ? null : swatchOf(index, theme);
  }
  readonly #entryOf = $derived.by(() => new Map(this.entries.map((entry) => [entry.value, entry])));

  readonly picked = $derived.by((): readonly string[] => pickedEntries(this.page.settings));
  /** The values that are not dimmed. */
  readonly range = $derived.by((): readonly [number, number] | null => {
    const [low, high] = this.picked.map(Number);
    return this.by.kind === "category" || low === undefined || high === undefined || !(high >= low)
      ? null
      : [low, high];
  });

  pick(entry: string): void {
    const { picked } = this;
    setPicked(
      this.page.settings,
      picked.includes(entry) ? picked.filter((each) => each !== entry) : [...picked, entry],
    );
  }

  pickRange(range: readonly [number, number] | null): void {
    setPicked(this.page.settings, range ? range.map((end) => String(Number(end.toPrecision(4)))) : []);
  }

  readonly paint = $derived.by((): ReadonlyMap<string, NodePaint> => {
    const { pane, by } = this;
    const { theme } = this.page;
    const paint = new Map<string, NodePaint>();
    if (by.kind === "category" && by.category === "tpu") {
      for (const { id, tpu } of pane.view.nodes) {
        if (typeof tpu !== "number") continue;
        const color = rampColor(1 - tpu, theme);
        paint.set(id, { text: `${Math.floor(tpu * 100)} %`, color, ink: inkOn(color) });
      }
      return paint;
    }
    if (by.kind === "category") {
      for (const node of pane.view.nodes) {
        const entry = pane.view.isOpen(node.id) ? undefined : this.#entryOf.get(categoryOf(node, by.category));
        if (!entry || entry.index < 0) continue;
        const color = tintOf(entry.index, theme);
        paint.set(node.id, { text: "", color, ink: inkOn(color) });
      }
      return paint.size > 0 ? paint : NO_PAINT;
    }
    const { scale, unit } = this;
    if (!scale) return NO_PAINT;
    for (const [id, value] of this.values) {
      const color = rampColor(placeOn(scale, value), theme);
      paint.set(id, { text: quantityText(value, unit), color, ink: inkOn(color) });
    }
    return paint;
  });

  readonly dimmed = $derived.by((): ReadonlySet<string> => {
    const { by, picked, range, pane } = this;
    if (picked.length === 0 || (by.kind !== "category" && !range)) return NONE_DIMMED;
    const isKept = (node: LevelNode): boolean => {
      if (by.kind === "category") {
        const value = categoryOf(node, by.category);
        // What a closed group has inside is not known here.
        return picked.includes(value) || (node.can_open === true && !this.#entryOf.has(value));
      }
      const value = this.values.get(node.id);
      return range !== null && value !== undefined && value >= range[0] && value <= range[1];
    };
    const dimmed = new Set<string>();
    for (const node of pane.view.nodes) if (!pane.view.isOpen(node.id) && !isKept(node)) dimmed.add(node.id);
    return dimmed;
  });

  retry = (): void => this.#data.retry();
}

function countsOf(facts: GraphFacts, category: Category) {
  switch (category) {
    case "op":
      return facts.ops;
    case "device":
      return facts.devices;
    case "dtype":
      return facts.dtypes;
    case "cluster":
      return facts.clusters;
    default:
      return null;
  }
}
