import { describe, expect, it } from "vitest";
import { Messages } from "./messages.svelte";

describe("messages", () => {
  it("replace each other, errors too", () => {
    const messages = new Messages();
    messages.say("lost", { isError: true });
    messages.say("copied");
    const first = messages.last;
    expect(first).toMatchObject({ text: "copied", isError: false });
    messages.say("copied");
    messages.drop(first?.id ?? 0);
    expect(messages.last?.text).toBe("copied");
    messages.drop(messages.last?.id ?? 0);
    expect(messages.last).toBeNull();
  });
});
