// Requests over HTTP and what is wrong with their answers. The only place that fetches; for the page, and for its
// workers, which have no client. Knows error shapes, but no route.

import type { ErrorAnswer } from "./types";

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
export const loadAddress = (url: string, signal: AbortSignal): Promise<Response> => checkAnswer(fetch(url, { signal }));

async function readError(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as ErrorAnswer;
    return new ApiError(error.code, error.message, error.where, response.status);
  } catch {
    // A proxy does not use our error format.
    return new ApiError(
      "http",
      `The server responded with ${response.status} ${response.statusText}`.trim(),
      null,
      response.status,
    );
  }
}
