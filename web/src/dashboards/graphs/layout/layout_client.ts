// The page's side of the layout: one worker for all graphs on the page, or the page itself where workers are missing.

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

let worker: Worker | null = null;
let views = 0;

/** Starts the worker before there is anything to lay out, because starting takes a while. */
export function startLayoutWorker(): Worker {
  return (worker ??= new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" }));
}

export class LayoutClient {
  readonly #view = ++views;
  #turn = 0;
  readonly #waiting = new Map<number, { resolve: (picture: Composed) => void; reject: (cause: Error) => void }>();
  readonly #listen = ({ data }: MessageEvent<LayoutReply>): void => this.#take(data);

  constructor() {
    startLayoutWorker().addEventListener("message", this.#listen);
  }

  /** Lays out everything that is open, from the first level on. `shapes`: levels that are new or have changed. */
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
    startLayoutWorker().removeEventListener("message", this.#listen);
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
