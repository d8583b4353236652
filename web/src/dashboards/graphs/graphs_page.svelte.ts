// State that all parts of Graphs share: which graphs there are, which one is shown and what it is compared with, and
// the panes that draw them. What the user sets is in the session's settings. Created in a component and ends with it.

import { untrack } from "svelte";
import { keepEqualEntries } from "../../base/keep_if_equal";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import type { GraphList, GraphRef, ListedGraph } from "./answer";
import { listGraphs } from "./ask";
import { graphTitle } from "./cards";
import {
  findListed,
  firstGraph,
  type GraphTitle,
  graphKey,
  isLogged,
  isSameGraph,
  nameOf,
  type OpenedFile,
  otherGraph,
} from "./graph_ref";
import {
  againstOption,
  cameraOption,
  depthOption,
  type Folding,
  graphOption,
  openGroups,
  alsoSelectedNodes,
  selectedNode,
  setAlsoSelected,
  setAgainst,
  setCamera,
  setDepth,
  setGraph,
  setOpenGroups,
  setSelected,
  setTrace,
  setView,
  shownView,
  structureView,
  toggleEach,
  toggleFolding,
} from "./options";
import { Pane } from "./pane.svelte";
import { takeList } from "./prefetch";

const CAMERA_REST_MS = 400;

/** Files and values that the user gave to the page; they last as long as it does. */
class Given {
  /** Raw, as all of these: replaced, never edited. */
  files = $state.raw<readonly OpenedFile[]>([]);
  shown = $state.raw<OpenedFile | null>(null);
  against = $state.raw<OpenedFile | null>(null);
  values = $state.raw<{ readonly name: string; readonly values: Readonly<Record<string, number>> } | null>(null);
}
const given = new WeakMap<Session, Given>();
function givenTo(session: Session): Given {
  let kept = given.get(session);
  if (!kept) given.set(session, (kept = new Given()));
  return kept;
}

export class GraphsPage {
  readonly given: Given;
  readonly main: Pane;
  /** The graph on the left of the split view; it has nothing to show elsewhere. */
  readonly other: Pane;
  readonly #list: CardData<null, GraphList>;
  /** What this page wrote to the address last; anything else came from there. */
  #writtenOpen = "";

  constructor(readonly session: Session) {
    this.given = givenTo(session);
    this.#list = new CardData<null, GraphList>(
      session,
      (_, signal) => takeList(session) ?? listGraphs(session.client, signal),
      {
        wanted: () => ({ key: String(session.changes.epoch), query: null }),
        isWanted: () => true,
        about: ({ generation }) => ({ generation, runs: session.runs.names }),
        isEarly: true,
      },
    );
    this.main = new Pane(session, {
      graph: () => this.graph,
      version: () => this.#version(this.graph),
      structure: () => this.structure,
      begin: () => ({
        open: openGroups(session.settings),
        depth: depthOption(session.settings),
        camera: cameraOption(session.settings),
      }),
    });
    this.other = new Pane(session, {
      // After the other one, to be open at the same places.
      graph: () => (this.view === "split" && this.main.isStarted ? (this.against ?? this.#offered) : null),
      version: () => this.#version(this.against ?? this.#offered),
      structure: () => this.structure,
      begin: () => ({ open: [...this.main.view.open], depth: null, camera: null }),
    });
    this.#keepAddress();
  }

  readonly settings = $derived.by(() => this.session.settings);
  readonly theme = $derived.by(() => this.session.settings.shownTheme);
  readonly view = $derived.by(() => shownView(this.settings));
  readonly #structureText = $derived.by(() => JSON.stringify(structureView(this.settings)));
  readonly structure = $derived.by(() => (void this.#structureText, untrack(() => structureView(this.settings))));

  readonly #keepListed = keepEqualEntries<ListedGraph>();
  readonly listed = $derived.by(() => this.#keepListed(this.#list.value?.graphs ?? []));
  readonly isListed = $derived.by(() => this.#list.value !== null);
  readonly listError = $derived.by(() => (this.#list.value ? null : this.#list.error));
  retry = (): void => this.#list.retry();

  readonly #graphText = $derived.by(() => graphKey(graphOption(this.settings)));
  readonly #chosen = $derived.by(() => (void this.#graphText, untrack(() => graphOption(this.settings))));
  /** The graph that is shown; null: there is none. */
  readonly graph = $derived.by((): GraphRef | null => {
    // A file that is shown has no address: what the address names was asked for later, by a link or by going back.
    if (this.#chosen) return this.#chosen;
    if (this.given.shown) return { file: this.given.shown.file };
    return this.isListed ? this.#first : null;
  });
  readonly #keepFirst = keepSame();
  readonly #first = $derived.by(() => this.#keepFirst(firstGraph(this.listed, this.session.runs.shown)));

  readonly #againstText = $derived.by(() => graphKey(againstOption(this.settings)));
  /** The graph that it is compared with; null: none. */
  readonly against = $derived.by((): GraphRef | null => {
    if (this.given.against) return { file: this.given.against.file };
    return (void this.#againstText, untrack(() => againstOption(this.settings)));
  });
  readonly #keepOffered = keepSame();
  /** What stands beside it in the split view if the user has chosen nothing. */
  readonly #offered = $derived.by(() =>
    this.#keepOffered(
      otherGraph(this.listed, this.session.runs.shown, this.graph, this.session.overlay.baseline) ??
        (this.graph && isLogged(this.graph) ? this.graph : null),
    ),
  );

  /** A graph of a run is another one when a newer one was logged. */
  #version(graph: GraphRef | null): string {
    const listed = graph && isLogged(graph) && (graph.step ?? null) === null ? findListed(this.listed, graph) : null;
    return listed ? String(listed.steps.at(-1) ?? "") : "";
  }

  infoOf(graph: GraphRef): GraphTitle & { readonly color: string | null } {
    const { runs } = this.session;
    if (isLogged(graph)) {
      const listed = findListed(this.listed, graph);
      // A graph without a name is told by its format.
      const name = listed ? nameOf(listed) : graphTitle(graph.name);
      const newest = (listed?.steps.length ?? 0) > 1 ? "newest" : null;
      const parts = [name, listed?.format, (graph.step ?? null) === null ? newest : `step ${graph.step}`];
      return {
        title: runs.title(graph.run),
        about: parts.filter(Boolean).join(" · "),
        color: runs.color(graph.run, this.theme),
      };
    }
    const file = this.given.files.find((each) => each.file === graph.file);
    return { title: file?.name ?? "file", about: file?.format ?? "", color: null };
  }

  show(graph: GraphRef): void {
    const { settings, given } = this;
    if (isSameGraph(graph, this.graph)) return;
    const file = isLogged(graph) ? null : (given.files.find((each) => each.file === graph.file) ?? null);
    // What is open, selected and lit belongs to the graph that goes.
    setGraph(settings, isLogged(graph) ? graph : null);
    given.shown = file;
    if (isSameGraph(graph, this.against)) this.compareWith(null);
  }

  /** The graph of the same name in that run, else its first. */
  showRun(run: string): void {
    const { listed, graph } = this;
    const same = graph && isLogged(graph) ? findListed(listed, { ...graph, run }) : null;
    const first = same ? { run, name: same.name, step: null } : firstGraph(listed, [run]);
    if (first) this.show(first);
  }

  compareWith(graph: GraphRef | null): void {
    this.given.against =
      graph && !isLogged(graph) ? (this.given.files.find((each) => each.file === graph.file) ?? null) : null;
    setAgainst(this.settings, graph && isLogged(graph) ? graph : null);
  }

  /** Compares with the graph that the page would choose. */
  compareWithOther(): void {
    const other = this.against ?? this.#offered;
    if (other && !isSameGraph(other, this.graph)) this.compareWith(other);
  }

  addFile(file: OpenedFile): void {
    this.given.files = [...this.given.files.filter((each) => each.file !== file.file), file];
  }

  setView(view: "" | "split" | "table"): void {
    setView(this.settings, view);
  }

  select(id: string | null): void {
    this.main.view.selected = id;
    this.main.view.alsoSelected = new Set();
    setSelected(this.settings, id ?? "");
  }

  /** Selects a node and brings it into view; from the table, the graph is shown. */
  async reveal(id: string, where: readonly string[] = []): Promise<void> {
    if (this.view === "table") setView(this.settings, "");
    this.select(id);
    const isFound = await this.main.view.reveal(id, where);
    if (!isFound) this.session.messages.say("This node is not in the graph as it is drawn now.");
  }

  async setDepth(depth: number): Promise<void> {
    setOpenGroups(this.settings, null);
    setDepth(this.settings, depth);
    setCamera(this.settings, null);
    this.#writtenOpen = this.#openText;
    await this.main.setDepth(depth);
  }

  /** Blocks that are folded to one, and their nodes, have other ids than each by itself: nothing stays selected. */
  toggleFolding(name: Folding): void {
    if (name === "repeats" || name === "series") this.select(null);
    toggleFolding(this.settings, name);
  }

  /** Like `toggleFolding`, for one repeat or series. */
  toggleEach(id: string): void {
    this.select(null);
    toggleEach(this.settings, id);
  }

  /** What the canvas changes is written to the address, and what the address says is shown. */
  #keepAddress(): void {
    const { settings } = this.session;
    const { main } = this;
    this.#writtenOpen = this.#openText;
    // Outside: the address, when groups are opened or closed by hand.
    $effect(() => {
      const { open } = main.view;
      const { base } = main;
      if (!base || !main.isShown) return;
      untrack(() => {
        const isBase = open.size === base.size && [...open].every((id) => base.has(id));
        if (isBase && openGroups(settings) === null) return;
        setOpenGroups(settings, [...open]);
        this.#writtenOpen = this.#openText;
      });
    });
    $effect(() => {
      const text = this.#openText;
      if (text === this.#writtenOpen) return;
      this.#writtenOpen = text;
      untrack(() => {
        const wanted = openGroups(settings);
        const isSame = wanted !== null && wanted.length === main.view.open.size && wanted.every(main.view.isOpen);
        if (main.base && !isSame) main.restart();
      });
    });
    // Outside: the address, once the camera rests.
    $effect(() => {
      const { camera, isFitted } = main.view;
      if (!main.isShown) return;
      const timer = setTimeout(() => setCamera(settings, isFitted ? null : camera), CAMERA_REST_MS);
      return () => clearTimeout(timer);
    });
    // The selection of the canvas and that of the address are the same.
    let selected = selectedNode(settings);
    main.view.selected = selected || null;
    $effect(() => {
      const now = main.view.selected ?? "";
      if (now === selected) return;
      selected = now;
      untrack(() => {
        if (now === "") setTrace(settings, null);
        setSelected(settings, now);
      });
    });
    $effect(() => {
      const now = selectedNode(settings);
      if (now === selected) return;
      selected = now;
      untrack(() => (main.view.selected = now || null));
    });
    // So are those that are selected with it.
    let also = alsoSelectedNodes(settings).join("\n");
    main.view.alsoSelected = new Set(alsoSelectedNodes(settings));
    $effect(() => {
      const ids = [...main.view.alsoSelected];
      if (ids.join("\n") === also) return;
      also = ids.join("\n");
      untrack(() => setAlsoSelected(settings, ids));
    });
    $effect(() => {
      const ids = alsoSelectedNodes(settings);
      if (ids.join("\n") === also) return;
      also = ids.join("\n");
      untrack(() => (main.view.alsoSelected = new Set(ids)));
    });
    // A selected node of the address may be in a closed group.
    let isFirst = true;
    $effect(() => {
      if (!main.isShown || !isFirst) return;
      isFirst = false;
      untrack(() => {
        if (selected !== "" && !main.view.places.has(selected)) void main.view.reveal(selected);
      });
    });
  }

  readonly #openText = $derived.by(
    () => `${depthOption(this.settings) ?? ""} ${openGroups(this.settings)?.join("\n") ?? ""}`,
  );
}

/** The same object as long as the same graph is meant. */
function keepSame(): <T extends GraphRef>(graph: T | null) => T | null {
  let kept: GraphRef | null = null;
  return <T extends GraphRef>(graph: T | null): T | null => {
    if (!isSameGraph(kept, graph)) kept = graph;
    return kept as T | null;
  };
}
