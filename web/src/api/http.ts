// Requests over HTTP and what is wrong with their answers. The only place that fetches; for the page, and for its
// workers, which have no client. Knows error shapes, but no route.

import type { ErrorAnswer } from "./types";

const TOO_MANY = 429;
const MAX_TRIES = 20;

export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly code: string,
    message: string,
    readonly where: string | null = null,
    readonly httpStatus = 0,
    /** Of a server that limits requests: when to try again. */
    readonly retryAfterS = 0,
  ) {
    super(message);
  }
}

/** Answers a request for a path below `api/`. The default is `fetch` relative to the page. */
export type Transport = (path: string, init: RequestInit) => Promise<Response>;

export const overHttp: Transport = (path, init) => fetch(new URL(`api/${path}`, document.baseURI), init);

/** The answer where it is one; rejects with an ApiError that says why it is not. An abort stays one. */
export async function checkAnswer(answer: Promise<Response>): Promise<Response> {
  let response: Response;
  try {
    response = await answer;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ApiError("unreachable", "The server is not responding. The page keeps trying to reconnect.");
  }
  if (!response.ok) throw await readError(response);
  return response;
}

/** What lies at an address that the client has given out. */
export const loadAddress = (url: string, signal: AbortSignal): Promise<Response> =>
  sendPatiently(() => fetch(url, { signal }), signal);

async function readError(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as ErrorAnswer;
    return new ApiError(error.code, error.message, error.where, response.status, retryAfterS(response));
  } catch {
    // A proxy does not use our error format.
    return new ApiError(
      "http",
      `The server responded with ${response.status} ${response.statusText}`.trim(),
      null,
      response.status,
      retryAfterS(response),
    );
  }
}

const retryAfterS = (response: Response): number => Number(response.headers.get("retry-after")) || 0;

/**
 * Sends a request, and again when the server says that there were too many: after the time it names, and a little more,
 * so that not all come back at once. `onwait` is told for how long.
 */
export async function sendPatiently(
  send: () => Promise<Response>,
  signal?: AbortSignal | null,
  onwait: (ms: number) => void = () => undefined,
): Promise<Response> {
  for (let tries = 1; ; tries++) {
    try {
      return await checkAnswer(send());
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.httpStatus !== TOO_MANY || tries >= MAX_TRIES) throw cause;
      const ms = 1_000 * Math.max(1, cause.retryAfterS) * (1 + Math.random());
      onwait(ms);
      await sleep(ms, signal);
    }
  }
}

function sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((done, fail) => {
    const stop = (): void => {
      clearTimeout(timer);
      fail(new DOMException("The request was aborted.", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      done();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
