// The one way to the server: every request of the page goes through `Client`, so that recorded answers can stand in
// for it. Knows routes and error shapes, keeps nothing.

import { type Columns, decodeColumns } from "./columns";
import type { Dashboards, ErrorAnswer, Health, Kind, LinesQuery, Points, Runs, Status, TagIndex } from "./types";

export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly code: string,
    message: string,
    readonly where: string | null = null,
    readonly httpStatus = 0,
  ) {
    super(message);
  }
}

/** Answers a request for a path below `api/`. The default is `fetch` relative to the page. */
export type Transport = (path: string, init: RequestInit) => Promise<Response>;

const overHttp: Transport = (path, init) => fetch(new URL(`api/${path}`, document.baseURI), init);

export class Client {
  constructor(private readonly transport: Transport = overHttp) {}

  status = (): Promise<Status> => this.json("status");
  runs = (): Promise<Runs> => this.json("runs");
  dashboards = (): Promise<Dashboards> => this.json("dashboards");
  health = (): Promise<Health> => this.json("health");
  tags = (kind: Kind): Promise<TagIndex> => this.json(`tags?kind=${encodeURIComponent(kind)}`);

  points(run: string, tag: string): Promise<Points> {
    return this.json(`scalars/points?run=${encodeURIComponent(run)}&tag=${encodeURIComponent(tag)}`);
  }

  async lines(query: LinesQuery, signal?: AbortSignal): Promise<Columns> {
    const response = await this.send("scalars/lines", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...query, format: "columns" }),
      ...(signal && { signal }),
    });
    return decodeColumns(await response.arrayBuffer());
  }

  private async json<T>(path: string): Promise<T> {
    return (await this.send(path, {})).json() as Promise<T>;
  }

  private async send(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await this.transport(path, init);
    } catch (cause) {
      if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
      throw new ApiError("unreachable", "The server does not answer. The page keeps trying to reach it.");
    }
    if (!response.ok) throw await readError(response);
    return response;
  }
}

async function readError(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as ErrorAnswer;
    return new ApiError(error.code, error.message, error.where, response.status);
  } catch {
    // A proxy in between answers in its own words.
    return new ApiError("http", `The server answered ${response.status} ${response.statusText}`.trim(), null, response.status);
  }
}
