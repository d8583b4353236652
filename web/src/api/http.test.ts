import { expect, test } from "vitest";
import { checkAnswer, loadAddress } from "./http";

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
