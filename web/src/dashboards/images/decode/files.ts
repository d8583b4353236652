// Files of pictures from the server, as the browser decodes them, and what is said when that fails. For the page and
// its workers.

import type { Failure } from "./messages";
import { cutShort, type PictureHead } from "./picture_head";

class Failed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export function failureOf(cause: unknown): Failure {
  if (cause instanceof Failed) return cause.failure;
  return {
    code: "undecodable",
    message: cause instanceof Error ? cause.message : String(cause),
    where: null,
    httpStatus: 0,
  };
}

export async function askFile(url: string, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new Failed({
      code: "unreachable",
      message: "The server does not answer. The page keeps trying to reach it.",
      where: null,
      httpStatus: 0,
    });
  }
  if (response.ok) return response;
  const text = await response.text();
  try {
    throw new Failed({
      ...(JSON.parse(text) as { error: Omit<Failure, "httpStatus"> }).error,
      httpStatus: response.status,
    });
  } catch (cause) {
    if (cause instanceof Failed) throw cause;
    throw new Failed({
      code: "http",
      message: `The server answered ${response.status} ${response.statusText}`.trim(),
      where: null,
      httpStatus: response.status,
    });
  }
}

/** Decoded by the browser, which does so beside the page. */
export async function toBitmap(
  bytes: Uint8Array<ArrayBuffer>,
  head: PictureHead,
  options: ImageBitmapOptions = {},
): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(new Blob([bytes], { type: `image/${head.format}` }), options);
  } catch {
    // The browser's own words name no reason.
    throw cutShort(head.format);
  }
}
