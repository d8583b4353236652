// The one way to the server: every request of the page goes through `Client`, so that tests and recorded answers can
// replace the transport. Knows routes, keeps no state.

import type { CardKind } from "./asset_kind";
import { type Columns, decodeColumns } from "./columns";
import { ApiError, overHttp, sendPatiently, type Transport } from "./http";
import type { Partials } from "./jobs";
import { listsPath } from "./lists_path";
import { decodeSteps, type Steps } from "./steps";
import { decodeStops, type Stops } from "./stops";
import type {
  Assets,
  BandsQuery,
  Descriptions,
  ExportQuery,
  Family,
  Health,
  HParams,
  Job,
  Jobs,
  Kind,
  LinesQuery,
  Lists,
  MarkChange,
  NearestRow,
  NotFinite,
  Points,
  Projects,
  RangeRow,
  RunValues,
  RunValuesQuery,
  SeriesList,
  SeriesRef,
  SharedOverlay,
  Status,
  StopsQuery,
  Table,
  TableQuery,
  TagIndex,
  WrittenMarks,
} from "./types";

export type Parameters = Readonly<Record<string, string | number | undefined>>;

export class Client {
  /** The server limits requests: they wait for so long. */
  onlimit: (ms: number) => void = () => undefined;
  /** The server lets this page in no longer. */
  onended: (error: ApiError) => void = () => undefined;

  constructor(private readonly transport: Transport = overHttp) {}

  lists = (kinds: readonly CardKind[]): Promise<Lists> => this.json(listsPath(kinds));
  status = (): Promise<Status> => this.json("status");
  health = (): Promise<Health> => this.json("health");
  /** Of one kind or of all. */
  tags = (kind?: Kind): Promise<TagIndex> => this.json(`tags?${named({ kind })}`);
  assets = (family: Family): Promise<Assets> => this.json(`assets?family=${family}`);
  descriptions = (): Promise<Descriptions> => this.json("descriptions");
  hparams = (): Promise<HParams> => this.json("hparams");
  notFinite = (): Promise<NotFinite> => this.json("runs/not_finite");
  projects = (): Promise<Projects> => this.json("projects");
  /** The marks that all share; those that changed since a revision. */
  overlay = (since: number): Promise<SharedOverlay> => this.json(`overlay?${named({ since })}`);
  changeOverlay = (changes: readonly MarkChange[]): Promise<WrittenMarks> => this.askBody("overlay", { changes });

  series(run: string, tag?: string): Promise<SeriesList> {
    return this.json(`series?${named({ run, tag })}`);
  }

  /** Series that no longer exist are missing from the response. */
  async steps(kind: Kind, series: readonly SeriesRef[], signal?: AbortSignal): Promise<Steps> {
    return decodeSteps(await this.binary("steps", { kind, series, format: "columns" }, signal));
  }

  async stops(query: StopsQuery, signal?: AbortSignal): Promise<Stops> {
    return decodeStops(await this.binary("stops", { ...query, format: "columns" }, signal));
  }

  points(run: string, tag: string): Promise<Points> {
    return this.json(`scalars/points?${named({ run, tag })}`);
  }

  async lines(query: LinesQuery<string>, signal?: AbortSignal): Promise<Columns> {
    return decodeColumns(await this.binary("scalars/lines", { ...query, format: "columns" }, signal));
  }

  /** Four lines over one x table for every tag and group: roles center, low, high and count. */
  async bands(query: BandsQuery, signal?: AbortSignal): Promise<Columns> {
    return decodeColumns(await this.binary("scalars/bands", { ...query, format: "columns" }, signal));
  }

  /** One row per series: the point nearest to `at`, or statistics over `range`. */
  table(query: TableQuery & { at: number }, signal?: AbortSignal): Promise<Table<NearestRow>>;
  table(query: TableQuery & { range: [number, number] }, signal?: AbortSignal): Promise<Table<RangeRow>>;
  async table(query: TableQuery, signal?: AbortSignal): Promise<Table<NearestRow | RangeRow>> {
    return (await this.post("scalars/table", query, signal)).json() as Promise<Table<NearestRow | RangeRow>>;
  }

  async runValues(query: RunValuesQuery, signal?: AbortSignal): Promise<RunValues> {
    return (await this.post("runs/values", query, signal)).json() as Promise<RunValues>;
  }

  /** A file with all points; the response's content-disposition has its name. */
  exportScalars(query: ExportQuery, signal?: AbortSignal): Promise<Response> {
    return this.post("scalars/export", query, signal);
  }

  /** Starts the job of a question, or finds the one that it has already. */
  startJob(work: string, question: object, signal?: AbortSignal): Promise<Job> {
    return this.askBody("jobs", { work, question }, signal);
  }

  /** Jobs that wait, run, or ended lately. */
  listJobs = (): Promise<Jobs> => this.json("jobs");

  /** Partial results from number `since` on: JSON values, or blocks of bytes where they are binary. */
  async jobPartials(id: string, since: number): Promise<Partials> {
    const answer = await this.send(`jobs/partials?${named({ id, since })}`, {});
    if (isJson(answer)) return answer.json() as Promise<Partials>;
    const { decodePartials } = await import("./jobs");
    return decodePartials(await answer.arrayBuffer());
  }

  /** The result of a job that is done: JSON, or bytes where it is binary. */
  async jobResult(id: string, signal?: AbortSignal): Promise<unknown> {
    const answer = await this.send(`jobs/result?${named({ id })}`, signal ? { signal } : {});
    return isJson(answer) ? answer.json() : answer.arrayBuffer();
  }

  cancelJob = (id: string): Promise<Job> => this.askBody("jobs/cancel", { id });
  pauseJob = (id: string): Promise<Job> => this.askBody("jobs/pause", { id });
  resumeJob = (id: string): Promise<Job> => this.askBody("jobs/resume", { id });

  /** For the routes of dashboards: requests a path below `api/` as JSON. */
  async ask<T>(path: string, parameters: Parameters, signal?: AbortSignal): Promise<T> {
    return (await this.send(`${path}?${named(parameters)}`, signal ? { signal } : {})).json() as Promise<T>;
  }

  /** Like `ask`, by POST. */
  async askBody<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
    return (await this.post(path, body, signal)).json() as Promise<T>;
  }

  /** Like `ask`, by POST with a file as the body. */
  async upload<T>(path: string, parameters: Parameters, file: Blob, signal?: AbortSignal): Promise<T> {
    const init = { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file };
    return (await this.send(`${path}?${named(parameters)}`, signal ? { ...init, signal } : init)).json() as Promise<T>;
  }

  /** Like `ask`, for bytes. */
  async bytes(path: string, parameters: Parameters, signal?: AbortSignal): Promise<ArrayBuffer> {
    return (await this.send(`${path}?${named(parameters)}`, signal ? { signal } : {})).arrayBuffer();
  }

  /** Like `askBody`, for bytes. */
  async binary(path: string, body: object, signal?: AbortSignal): Promise<ArrayBuffer> {
    return (await this.post(path, body, signal)).arrayBuffer();
  }

  /** The address of something that the browser itself requests: a picture, a clip, a download. */
  address(path: string, parameters: Parameters): string {
    return new URL(`api/${path}?${named(parameters)}`, document.baseURI).href;
  }

  post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
    return this.send(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  }

  private async json<T>(path: string): Promise<T> {
    return (await this.send(path, {})).json() as Promise<T>;
  }

  private async send(path: string, init: RequestInit): Promise<Response> {
    try {
      return await sendPatiently(
        () => this.transport(path, init),
        init.signal,
        (ms) => this.onlimit(ms),
      );
    } catch (cause) {
      if (cause instanceof ApiError && ENDED.has(cause.code)) this.onended(cause);
      throw cause;
    }
  }
}

/** A token that was revoked or has expired, or whose file cannot be read: no request will be answered any more. */
const ENDED: ReadonlySet<string> = new Set(["token_ended", "tokens_unreadable"]);

const isJson = (answer: Response): boolean => answer.headers.get("content-type") === "application/json";

function named(parameters: Parameters): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join("&");
}
