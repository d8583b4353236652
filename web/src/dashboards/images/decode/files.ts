// Pictures as the browser decodes them, and failures as workers can tell them to the page.

import { ApiError } from "../../../api/http";
import type { Failure } from "./messages";
import { cutShort, type PictureHead } from "./picture_head";

/** What is not the server's fault is the file's. */
export function failureOf(cause: unknown): Failure {
  const { code, message, where, httpStatus } =
    cause instanceof ApiError
      ? cause
      : new ApiError("undecodable", cause instanceof Error ? cause.message : String(cause));
  return { code, message, where, httpStatus };
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
