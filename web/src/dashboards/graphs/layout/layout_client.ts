// The page's side of the layout: one worker for all graphs on the page.

import type { Composed } from "./composed";
import type { LevelShape } from "./level_shape";

/** What the worker is told. A view is one graph on the page; the worker keeps its levels. */
export type LayoutMessage =
  | {
      readonly view: number;
      readonly turn: number;
      readonly shapes: readonly LevelShape[];
      readonly open: readonly string[];
    }
  | { readonly view: number; readonly forget: true };

export interface LayoutReply {
  readonly view: number;
  readonly turn: number;
  readonly picture?: Composed;
  readonly problem?: string;
}

/** Lays out what is open of one graph. */
export interface Layout {
  /** Everything that is open, from the first level on. `shapes`: levels that are new or have changed. */
  compose(shapes: readonly LevelShape[], open: readonly string[]): Promise<Composed>;
  /** Another graph comes. */
  forget(): void;
  end(): void;
}

let worker: Worker | null = null;
let views = 0;

/** Starts the worker before there is anything to lay out, because starting takes a while. */
export function startLayoutWorker(): Worker {
  return (worker ??= new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" }));
}

export class LayoutClient implements Layout {
  readonly #view = ++views;
  #turn = 0;
  readonly #waiting = new Map<number, { resolve: (picture: Composed) => void; reject: (cause: Error) => void }>();
  readonly #listen = ({ data }: MessageEvent<LayoutReply>): void => this.#take(data);
  /** The code of the worker could not be loaded. */
  readonly #fail = (): void => {
    for (const { reject } of this.#waiting.values()) reject(new Error("The layout could not be started."));
    this.#waiting.clear();
  };

  constructor() {
    const started = startLayoutWorker();
    started.addEventListener("message", this.#listen);
    started.addEventListener("error", this.#fail);
  }

  compose(shapes: readonly LevelShape[], open: readonly string[]): Promise<Composed> {
    const turn = ++this.#turn;
    this.#send({ view: this.#view, turn, shapes, open });
    return new Promise((resolve, reject) => this.#waiting.set(turn, { resolve, reject }));
  }

  forget(): void {
    this.#send({ view: this.#view, forget: true });
  }

  end(): void {
    this.forget();
    worker?.removeEventListener("message", this.#listen);
    worker?.removeEventListener("error", this.#fail);
  }

  #send(message: LayoutMessage): void {
    startLayoutWorker().postMessage(message);
  }

  #take({ view, turn, picture, problem }: LayoutReply): void {
    if (view !== this.#view) return;
    const waiting = this.#waiting.get(turn);
    this.#waiting.delete(turn);
    if (picture) waiting?.resolve(picture);
    else waiting?.reject(new Error(problem));
  }
}
