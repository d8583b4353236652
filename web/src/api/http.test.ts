import { expect, test, vi } from "vitest";
import { checkAnswer, loadAddress, sendPatiently } from "./http";

const forever = new AbortController().signal;

test("what lies at an address", async () => {
  expect(await (await loadAddress("data:text/plain,bytes", forever)).text()).toBe("bytes");
});

test("says in the server's words why there is nothing", async () => {
  const body = { error: { code: "sample_gone", message: "It is gone.", where: "row" } };
  const answer = Promise.resolve(new Response(JSON.stringify(body), { status: 410 }));
  await expect(checkAnswer(answer)).rejects.toMatchObject({ ...body.error, httpStatus: 410 });
});

test("an abort stays an abort", async () => {
  await expect(loadAddress("data:,", AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
});

test("names a server that cannot be reached", async () => {
  // Browsers and Node alike refuse to go to the port of the discard service.
  await expect(loadAddress("http://127.0.0.1:9/", forever)).rejects.toMatchObject({ code: "unreachable" });
});

test("waits as long as a server that limits requests says, and goes on", async () => {
  vi.useFakeTimers();
  const limited = new Response(JSON.stringify({ error: { code: "too_many_requests", message: "", where: null } }), {
    status: 429,
    headers: { "retry-after": "3" },
  });
  const answers = [limited, new Response("done")];
  const waits: number[] = [];
  const sending = sendPatiently(
    () => Promise.resolve(answers.shift() as Response),
    null,
    (ms) => waits.push(ms),
  );
  await vi.advanceTimersByTimeAsync(2_900);
  expect(answers).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(3_200);
  expect(await (await sending).text()).toBe("done");
  expect(waits[0]).toBeGreaterThanOrEqual(3_000);
  vi.useRealTimers();
});

test("an abort ends the waiting", async () => {
  const ending = new AbortController();
  const sending = sendPatiently(
    () => Promise.resolve(new Response("", { status: 429 })),
    ending.signal,
    () => ending.abort(),
  );
  await expect(sending).rejects.toMatchObject({ name: "AbortError" });
});
