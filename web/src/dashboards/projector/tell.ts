// Says what went wrong at the bottom of the page.

import type { Session } from "../../state/session.svelte";

export const tell = ({ messages }: Session, cause: unknown): void =>
  void messages.say(cause instanceof Error ? cause.message : String(cause), { isError: true });
