// One graph on the page: starts its view, and starts it again when another graph or another structure is wanted. Keeps
// which groups are open over that. Created in a component and ends with it.

import { untrack } from "svelte";
import { isSameList, keepIfEqual } from "../../base/keep_if_equal";
import type { Session } from "../../state/session.svelte";
import type { GraphRef, LevelNode, LevelsAnswer, StructureView } from "./answer";
import { loadLevels } from "./ask";
import { GraphView } from "./graph_state.svelte";
import { graphKey } from "./graph_ref";
import { ALL_LEVELS, firstQuestion, type Opening, takeLevels } from "./prefetch";

export interface PaneStart extends Opening {
  readonly camera: { readonly x: number; readonly y: number; readonly zoom: number } | null;
}

interface PaneOptions {
  /** Null: nothing to show. */
  readonly graph: () => GraphRef | null;
  /** Changes when the graph was logged anew. */
  readonly version: () => string;
  readonly structure: () => StructureView;
  /** What is open at first; read once for every graph. */
  readonly begin: () => PaneStart;
}

export class Pane {
  readonly view: GraphView;
  /** Groups that were open when the view started: what differs is the user's doing. Raw: replaced. */
  base = $state.raw<ReadonlySet<string> | null>(null);
  #startedKey = "";
  /** Of what the picture shows. */
  #readyKey = $state("");
  #counted = 0;
  #opening: Opening | null = null;
  #isEnded = false;

  constructor(
    private readonly session: Session,
    private readonly options: PaneOptions,
  ) {
    this.view = new GraphView((groups, depth, limit, signal) => this.#load(groups, depth, limit, signal));
    // Outside: the server, for another graph or structure.
    $effect(() => {
      const key = this.key;
      if (key === "" || key === this.#startedKey) return;
      const isSameFile = untrack(() => this.#startedKey.startsWith(`${graphKey(this.graph)} `));
      this.#startedKey = key;
      untrack(() => void this.#start(isSameFile));
    });
    $effect(() => () => {
      this.#isEnded = true;
      this.view.end();
    });
  }

  readonly graph = $derived.by((): GraphRef | null => this.options.graph());
  readonly structure = $derived.by((): StructureView => this.options.structure());
  readonly #structureKey = $derived.by(() => JSON.stringify(this.structure));
  readonly key = $derived.by(() =>
    this.graph
      ? `${graphKey(this.graph)} ${this.options.version()} ${this.#structureKey} ${this.session.changes.epoch}`
      : "",
  );
  readonly #keepShown = keepIfEqual<readonly string[]>(isSameList);
  /** Ids of what is drawn; the same list as long as only its places change. */
  readonly shown = $derived.by((): readonly string[] => this.#keepShown(this.view.shown));
  /** Changes with the graph and with what is shown of it. */
  readonly shownKey = $derived.by(() => (void this.shown, `${this.key} ${++this.#counted}`));
  /** Something can be asked about the shown nodes. */
  readonly isShown = $derived.by(() => this.isStarted && this.shown.length > 0);
  /** What is drawn is the graph that is wanted. */
  readonly isStarted = $derived.by(() => this.key !== "" && this.#readyKey === this.key);

  /** How many levels are open at the deepest place. */
  readonly depth = $derived.by(() => {
    const { view } = this;
    let deepest = 1;
    for (const id of view.open) {
      if (!view.places.has(id)) continue;
      let depth = 2;
      for (let up = view.parent(id); up !== undefined && up !== ""; up = view.parent(up)) depth++;
      deepest = Math.max(deepest, depth);
    }
    return deepest;
  });

  /** Starts again where the address leads. */
  restart(): void {
    void this.#start(false);
  }

  async setDepth(depth: number): Promise<void> {
    // What it opens is not the user's doing.
    this.base = null;
    await this.view.setDepth(depth);
    if (!this.#isEnded) this.base = this.view.open;
  }

  async #start(isSameFile: boolean): Promise<void> {
    const { view, key } = this;
    const begin = this.options.begin();
    // Another structure of the same graph: what was open stays open.
    const kept = isSameFile && view.open.size > 0 ? [...view.open] : null;
    const open = begin.open ?? kept;
    this.base = null;
    this.#opening = { open, depth: begin.depth };
    if (open) await view.start({ open, camera: begin.camera });
    else await view.start({ depth: begin.depth ?? ALL_LEVELS, camera: begin.camera });
    if (this.#isEnded || key !== this.key) return;
    this.base = view.open;
    this.#readyKey = key;
  }

  #load(groups: readonly string[], depth: number, limit: number, signal: AbortSignal): Promise<LevelsAnswer> {
    const graph = this.graph as GraphRef;
    const { client } = this.session;
    // The first question of a start: it opens what can be read at once, and may have been asked already.
    if (this.#opening && groups[0] === "") {
      const question = firstQuestion(graph, this.structure, this.#opening);
      this.#opening = null;
      return takeLevels(this.session, question) ?? loadLevels(client, question, signal);
    }
    return loadLevels(client, { graph, groups, depth, limit, view: this.structure }, signal);
  }

  node(id: string): LevelNode | undefined {
    return this.view.node(id);
  }
}
