// One graph as it is looked at: which groups are open, where everything stands, the camera, and what is drawn on top.
// The page sets what it learns from other routes (colours, traces, matches, differences); the scene draws it all.

import { ApiError } from "../../api/http";
import type { Ghost, GraphFacts, Level, LevelNode, LevelsAnswer, NodeState } from "./answer";
import type { Composed } from "./layout/composed";
import { type Layout, LayoutClient } from "./layout/layout_client";
import { type Camera, fitCamera, keepInView, keepPoint, toScreen } from "./scene/camera";
import { addGhosts, isGhost } from "./layout/ghosts";
import { levelShape } from "./scene/level_shape";

/** Where the levels of groups come from. Levels below the named groups come down to `depth`, up to `limit` nodes. */
export type LoadLevels = (
  groups: readonly string[],
  depth: number,
  limit: number,
  signal: AbortSignal,
) => Promise<LevelsAnswer>;

export interface NodePaint {
  /** The value, on the right of the node. */
  readonly text: string;
  readonly color: string;
  /** The colour of text on it. */
  readonly ink: string;
}

/** More nodes than this are not opened at once. */
export const MAX_SHOWN = 1_000;
const ROOT = "";

interface Start {
  /** Groups that are open from the beginning; those that there are no more are left out. */
  readonly open?: readonly string[];
  /** Opens groups down to this level instead. */
  readonly depth?: number;
  /** null: all of it in view. */
  readonly camera?: Camera | null;
}

export class GraphView {
  /** Of the whole graph. */
  facts = $state.raw<GraphFacts | null>(null);
  /** By group, those that were loaded so far. Raw, as everything here: replaced, never edited. */
  levels = $state.raw<ReadonlyMap<string, Level>>(new Map());
  /** Groups that are open, also inside groups that are closed at the moment. */
  open = $state.raw<ReadonlySet<string>>(new Set());
  /** What is drawn; null until the first layout. */
  picture = $state.raw<Composed | null>(null);
  /** The levels that it shows, with ghosts; the picture counts in them. */
  drawnLevels: readonly Level[] = [];
  /** Size of the scene on the screen; the scene sets it. */
  viewport = $state.raw({ widthPx: 0, heightPx: 0 });
  camera = $state.raw<Camera>({ x: 0, y: 0, zoom: 1 });
  /** Whether the camera still shows all of the graph, because nobody moved it. */
  isFitted = $state(true);
  selected = $state<string | null>(null);
  /** Others that are selected with it. Raw: replaced. */
  alsoSelected = $state.raw<ReadonlySet<string>>(new Set());
  hovered = $state<string | null>(null);
  /** Groups whose level is being loaded. */
  loading = $state.raw<ReadonlySet<string>>(new Set());
  error = $state.raw<ApiError | null>(null);
  /** The picture that is on the screen; the scene sets it. */
  drawn = $state.raw<Composed | null>(null);

  // What the page puts on top, by id of a node.
  paint = $state.raw<ReadonlyMap<string, NodePaint>>(new Map());
  /** Steps away from the traced node; a node that is missing is not on the trace. null: nothing is traced. */
  distances = $state.raw<ReadonlyMap<string, number> | null>(null);
  states = $state.raw<ReadonlyMap<string, NodeState>>(new Map());
  /** How many matches of the search a node or a closed group has. */
  matches = $state.raw<ReadonlyMap<string, number>>(new Map());
  currentMatch = $state<string | null>(null);
  /** Nodes that the legend filters out. */
  dimmed = $state.raw<ReadonlySet<string>>(new Set());

  #ghosts = $state.raw<readonly Ghost[]>([]);
  #load: LoadLevels;
  readonly #layout: Layout;
  #abort = new AbortController();
  /** Only the newest layout counts. */
  #turn = 0;
  #sent = new Set<string>();

  constructor(load: LoadLevels, layout: Layout = new LayoutClient()) {
    this.#load = load;
    this.#layout = layout;
  }

  readonly isLoading = $derived.by(() => this.loading.size > 0);
  /** What was requested is on the screen. */
  readonly isDrawn = $derived.by(() => this.picture !== null && this.drawn === this.picture && !this.isLoading);
  readonly nodes: readonly LevelNode[] = $derived.by(() => {
    const { picture } = this;
    if (!picture) return [];
    // The levels that the picture was made of; later ones wait for their own picture.
    const levels = this.drawnLevels;
    return Array.from(picture.index, (index, i) => levels[picture.level[i] as number]?.nodes[index] as LevelNode);
  });
  /** Ids of all nodes and open groups that are in the picture, in its order. */
  readonly shown: readonly string[] = $derived.by(() => this.nodes.flatMap((node) => (isGhost(node) ? [] : [node.id])));
  /** The place of each in the picture. */
  readonly places: ReadonlyMap<string, number> = $derived.by(() => new Map(this.nodes.map(({ id }, i) => [id, i])));
  readonly #parents: ReadonlyMap<string, string> = $derived.by(() => {
    const parents = new Map<string, string>();
    for (const { group, nodes } of this.levels.values()) for (const { id } of nodes) parents.set(id, group);
    return parents;
  });
  readonly #byId: ReadonlyMap<string, LevelNode> = $derived.by(() => {
    const byId = new Map<string, LevelNode>();
    for (const { nodes } of this.levels.values()) for (const node of nodes) byId.set(node.id, node);
    return byId;
  });

  /** A node of any level that was loaded. */
  node = (id: string): LevelNode | undefined => this.#byId.get(id);
  /** The group that it is directly in; "" is the whole graph. */
  parent = (id: string): string | undefined => this.#parents.get(id);
  isOpen = (id: string): boolean => this.open.has(id);

  /** Adds a node to the selection, or takes it out. */
  toggleSelected(id: string): void {
    const all = new Set(this.selected === null ? [] : [...this.alsoSelected, this.selected]);
    if (!all.delete(id)) all.add(id);
    const last = [...all].at(-1) ?? null;
    if (last !== null) all.delete(last);
    this.selected = last;
    this.alsoSelected = all;
  }

  /** Nodes that only the other graph of a difference has; they get a place in the layout. */
  get ghosts(): readonly Ghost[] {
    return this.#ghosts;
  }

  set ghosts(ghosts: readonly Ghost[]) {
    if (ghosts.length === 0 && this.#ghosts.length === 0) return;
    const changed = new Set([...this.#ghosts, ...ghosts].map(({ group }) => group));
    this.#ghosts = ghosts;
    for (const group of changed) this.#sent.delete(group);
    if (this.picture) void this.#lay(null);
  }

  /** Loads the graph from its first level on. Called again for another graph or structure, it begins anew. */
  async start({ open = [], depth, camera = null }: Start = {}, load: LoadLevels = this.#load): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#load = load;
    this.#layout.forget();
    this.#sent.clear();
    this.levels = new Map();
    this.open = new Set();
    this.#ghosts = [];
    const answer =
      depth !== undefined
        ? await this.#ask([ROOT], depth)
        : ((open.length > 0 ? await this.#ask([ROOT, ...open], 1, true) : null) ?? (await this.#ask([ROOT], 1)));
    if (!answer) return;
    this.open = new Set(depth === undefined ? open.filter((id) => this.levels.has(id)) : groupsOf(answer));
    if (camera) this.moveCamera(camera);
    else this.isFitted = true;
    await this.#lay(null);
  }

  /** Opens a group, or closes it. */
  toggle(id: string): Promise<void> {
    return this.open.has(id) ? this.close(id) : this.openGroup(id);
  }

  async openGroup(id: string): Promise<void> {
    if (!this.node(id)?.can_open) return;
    if (!this.levels.has(id) && !(await this.#ask([id], 1))) return;
    this.open = new Set([...this.open, id]);
    await this.#lay(id);
  }

  /** What is open inside it comes back when it is opened again. */
  async close(id: string): Promise<void> {
    if (!this.open.has(id)) return;
    this.open = new Set([...this.open].filter((other) => other !== id));
    await this.#lay(id);
  }

  /** Opens a group and all groups in it, up to as many nodes as can be looked at. */
  async openBelow(id: string): Promise<void> {
    const answer = await this.#ask([id], ALL);
    if (!answer) return;
    this.open = new Set([...this.open, id, ...groupsOf(answer)]);
    await this.#lay(id);
  }

  /** Opens every group down to this level, and closes those below; 1: only the first level is shown. */
  async setDepth(depth: number): Promise<void> {
    const answer = await this.#ask([ROOT], depth);
    if (!answer) return;
    this.open = new Set(groupsOf(answer));
    this.isFitted = true;
    await this.#lay(null);
  }

  /** Opens the groups around a node, so that it is in the picture. `where`: their ids, if known. */
  async openTo(id: string, where: readonly string[] = []): Promise<boolean> {
    const around = new Set(where);
    const open = new Set(this.open);
    let group = ROOT;
    for (;;) {
      if (!this.levels.has(group) && !(await this.#ask([group], 1))) return false;
      const nodes: readonly LevelNode[] = this.levels.get(group)?.nodes ?? [];
      if (nodes.some((node) => node.id === id)) break;
      const next = nodes.find((node) => node.can_open && (around.has(node.id) || id.startsWith(`${node.id}/`)));
      if (!next) return false;
      open.add((group = next.id));
    }
    if (open.size > this.open.size || !this.places.has(id)) {
      this.open = open;
      await this.#lay(this.selected);
    }
    return true;
  }

  /** Opens the groups around a node and moves the camera so that it is in view. */
  async reveal(id: string, where: readonly string[] = []): Promise<boolean> {
    if (!this.places.has(id) && !(await this.openTo(id, where))) return false;
    const box = this.boxOf(id);
    if (box) this.moveCamera(keepInView(this.camera, box, this.viewport));
    return box !== null;
  }

  /** Where a node is in the picture. */
  boxOf(id: string): Box | null {
    const { picture } = this;
    const at = this.places.get(id);
    if (!picture || at === undefined) return null;
    return {
      x: picture.x[at] as number,
      y: picture.y[at] as number,
      width: picture.width[at] as number,
      height: picture.height[at] as number,
    };
  }

  /** Where a node is in the scene, in pixels from its top left corner. */
  screenBox(id: string): Box | null {
    const box = this.boxOf(id);
    if (!box) return null;
    const { zoom } = this.camera;
    return { ...toScreen(this.camera, this.viewport, box), width: box.width * zoom, height: box.height * zoom };
  }

  /** The user moved it; from now on it stays where it is. */
  moveCamera(camera: Camera): void {
    this.isFitted = false;
    this.camera = camera;
  }

  /** Shows all of the graph, also after it changes. */
  fit(): void {
    this.isFitted = true;
    const { picture, viewport } = this;
    if (picture && viewport.widthPx > 0) this.camera = fitCamera(picture, viewport);
  }

  resize(widthPx: number, heightPx: number): void {
    this.viewport = { widthPx, heightPx };
    if (this.isFitted) this.fit();
  }

  end(): void {
    this.#abort.abort();
    this.#turn++;
    this.#layout.end();
  }

  async #ask(groups: readonly string[], depth: number, isTry = false): Promise<LevelsAnswer | null> {
    const { signal } = this.#abort;
    this.loading = new Set([...this.loading, ...groups]);
    try {
      const answer = await this.#load(groups, depth, MAX_SHOWN, signal);
      if (signal.aborted) return null;
      this.facts = answer.graph;
      this.levels = new Map([...this.levels, ...answer.levels.map((level) => [level.group, level] as const)]);
      this.error = null;
      return answer;
    } catch (cause) {
      if (!signal.aborted && !isTry)
        this.error = cause instanceof ApiError ? cause : new ApiError("internal", String(cause));
      return null;
    } finally {
      this.loading = new Set([...this.loading].filter((group) => !groups.includes(group)));
    }
  }

  /** Lays out what is open now. `anchor` stays where it is on the screen. */
  async #lay(anchor: string | null): Promise<void> {
    const turn = ++this.#turn;
    const levels = addGhosts(this.levels, this.#ghosts);
    const added = [...levels.values()].filter(({ group }) => !this.#sent.has(group));
    for (const { group } of added) this.#sent.add(group);
    let picture: Composed;
    try {
      picture = await this.#layout.compose(added.map(levelShape), [...this.open]);
    } catch (cause) {
      if (turn === this.#turn) this.error = new ApiError("internal", String(cause));
      return;
    }
    if (turn !== this.#turn) return;
    const before = anchor === null ? null : this.boxOf(anchor);
    this.drawnLevels = picture.groups.map((group) => levels.get(group) as Level);
    this.picture = picture;
    const after = anchor === null ? null : this.boxOf(anchor);
    if (before && after) {
      this.isFitted = false;
      this.camera = keepPoint(this.camera, before, after);
    } else if (this.isFitted) this.fit();
  }
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** As deep as a graph can be. */
const ALL = 64;

const groupsOf = (answer: LevelsAnswer): string[] =>
  answer.levels.flatMap(({ group }) => (group === ROOT ? [] : [group]));
