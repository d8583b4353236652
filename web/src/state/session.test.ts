// @vitest-environment jsdom
import { flushSync } from "svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client } from "../api/client";
import type { LiveHandlers } from "../api/live";
import type { Change } from "../api/types";
import { Session } from "./session.svelte";

const RUN = {
  name: "a",
  start_time: 0,
  last_wall_time: 0,
  series: 1,
  points: 1,
  files: 1,
  size_bytes: 1,
  health: "ok",
  restarts: 0,
  assets: 0,
  asset_bytes: 0,
};
const change = (generation: number, runs: string[] | null): Change => ({
  generation,
  runs,
  is_loaded: true,
  progress: { runs_found: 1, runs_loaded: 1, bytes_found: 1, bytes_read: 1, bytes_indexed: 0 },
});

/** A session with a server that is a table of answers. */
function begin() {
  const asked: string[] = [];
  const server = {
    generation: 1,
    isDown: false,
    status: 200,
    profiles: ["one"],
    answer: undefined as object | undefined,
  };
  const session = new Session(
    new Client((path) => {
      asked.push(path);
      if (server.isDown) return Promise.reject(new TypeError("no route"));
      const lists = {
        status: {
          generation: server.generation,
          is_loaded: true,
          locations: ["logs"],
          files: {},
          live: true,
          progress: {},
          overlay_revision: null,
          assets: server.profiles.length,
          asset_bytes: server.profiles.length,
        },
        runs: { generation: server.generation, runs: [RUN] },
        dashboards: { dashboards: [] },
        tags:
          path === "lists?kind=scalar"
            ? { scalar: { generation: server.generation, runs: { a: 0 }, tag_sets: [{ loss: "scalar" }] } }
            : {},
      };
      const assets = {
        generation: server.generation,
        assets: server.profiles.map((name) => ({ run: "a", family: "profile", name })),
      };
      const answer = path.startsWith("lists") ? lists : path.startsWith("assets") ? assets : undefined;
      return Promise.resolve(new Response(JSON.stringify(server.answer ?? answer), { status: server.status }));
    }),
  );
  let live: LiveHandlers | null = null;
  session.tags.want("scalar", { comes: true });
  const stop = session.start((handlers) => {
    live = handlers;
    handlers.onConnection("open");
    return () => (live = null);
  });
  const receive = (change: Change): void => {
    server.generation = change.generation;
    live?.onChange(change);
  };
  return {
    asked,
    server,
    session,
    stop,
    receive,
    isListening: () => live !== null,
    connect: () => live?.onConnection("open"),
  };
}

function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, "hidden", { configurable: true, value: isHidden });
  document.dispatchEvent(new Event("visibilitychange"));
}

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(20_000);

describe("a session", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    localStorage.clear();
  });
  afterEach(() => {
    setHidden(false);
    vi.useRealTimers();
  });

  it("requests all lists at once, with the wanted tags", async () => {
    const { asked, session, stop } = begin();
    await settle();
    expect(asked).toEqual(["lists?kind=scalar", "hparams"]);
    session.tags.want("scalar");
    expect(asked).toHaveLength(2);
    expect(session.tags.index("scalar")?.runs).toEqual({ a: 0 });
    stop();
  });

  it("lists assets by themselves, and again when they change", async () => {
    const { asked, server, session, stop, receive } = begin();
    session.tags.want("assets/profile", { comes: true });
    await settle();
    expect(asked.filter((path) => path !== "hparams")).toEqual(["lists?kind=scalar", "assets?family=profile"]);
    expect(session.tags.index("assets/profile")?.tag_sets).toEqual([{ one: "profile" }]);
    receive(change(1, null));
    await settle();
    asked.length = 0;
    server.generation = 2;
    receive(change(2, ["a"]));
    await settle();
    expect(asked).toEqual(["lists?kind=scalar", "hparams"]);
    server.profiles = ["one", "two"];
    server.generation = 3;
    receive(change(3, ["a"]));
    await settle();
    expect(asked).toContain("assets?family=profile");
    expect(session.tags.index("assets/profile")?.tag_sets).toEqual([{ one: "profile", two: "profile" }]);
    stop();
  });

  it("asks for hyperparameters after the first cards, or at once when the runs need them", async () => {
    const { asked, session, stop } = begin();
    await vi.advanceTimersByTimeAsync(20);
    expect(asked).toEqual(["lists?kind=scalar"]);
    session.readiness.expect([]);
    await settle();
    expect(asked).toContain("hparams");
    stop();
    const needing = begin();
    needing.session.settings.set({ colorBy: "hparam:lr" });
    await vi.advanceTimersByTimeAsync(20);
    expect(needing.asked).toContain("hparams");
    needing.stop();
  });

  it("lists again on a change, but not when paused; then once, when it resumes", async () => {
    const { asked, session, stop, receive } = begin();
    await settle();
    receive(change(1, null));
    await settle();
    asked.length = 0;
    session.pause(true);
    receive(change(2, ["a"]));
    receive(change(3, ["b"]));
    await settle();
    expect(asked).toEqual([]);
    expect(session.isQuiet).toBe(true);
    expect(session.changes.held?.runs?.size).toBe(2);
    expect(session.changes.isNewer(1, ["a"])).toBe(false);
    session.pause(false);
    await settle();
    expect(session.changes.isNewer(1, ["a", "b"])).toBe(true);
    expect([...asked].sort()).toEqual(["hparams", "lists?kind=scalar"]);
    stop();
  });

  it("is quiet while it is hidden, and closes its connection", async () => {
    const { asked, session, stop, receive, isListening } = begin();
    await settle();
    receive(change(1, null));
    await settle();
    asked.length = 0;
    setHidden(true);
    flushSync();
    expect([session.isQuiet, isListening()]).toEqual([true, false]);
    setHidden(false);
    expect([session.isQuiet, isListening()]).toEqual([false, true]);
    await settle();
    expect(asked).toEqual([]);
    receive(change(5, null));
    await settle();
    expect(asked).toHaveLength(2);
    stop();
  });

  it("keeps its data through an error and recovers", async () => {
    const { server, session, stop, receive, connect } = begin();
    await settle();
    server.status = 500;
    receive(change(2, null));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(session.error?.code).toBe("http");
    expect(session.runs.names).toEqual(["a"]);
    server.status = 200;
    await settle();
    expect(session.error).toBeNull();
    server.isDown = true;
    receive(change(3, null));
    await settle();
    expect(session.error?.code).toBe("unreachable");
    server.isDown = false;
    connect();
    await settle();
    expect(session.error).toBeNull();
    stop();
  });

  it("knows which runs are being written", async () => {
    const { session, stop, receive } = begin();
    await settle();
    receive(change(1, null));
    await settle();
    expect(session.writers.alive(session.runs.all, Date.now())).toEqual([]);
    receive(change(2, ["a"]));
    expect(session.writers.alive(session.runs.all, Date.now())).toEqual(["a"]);
    expect(session.writers.alive(session.runs.all, Date.now() + 61_000)).toEqual([]);
    const now = Date.now();
    expect(
      session.writers.alive(
        [
          { ...RUN, health: "ok", last_wall_time: now / 1000 - 5 },
          { ...RUN, name: "b", health: "ok", last_wall_time: "NaN" },
        ],
        now + 100_000,
      ),
    ).toEqual([]);
    expect(session.writers.alive([{ ...RUN, name: "c", health: "ok", last_wall_time: now / 1000 - 5 }], now)).toEqual([
      "c",
    ]);
    stop();
  });

  it("stops and forgets its data when the server lets it in no longer", async () => {
    const { asked, server, session, isListening } = begin();
    await settle();
    expect(session.runs.all).toHaveLength(1);
    server.status = 403;
    server.answer = { error: { code: "token_ended", message: "The token was revoked.", where: "token" } };
    await session.client.status().catch(() => undefined);
    expect(session.ended?.message).toBe("The token was revoked.");
    expect([session.runs.all, isListening()]).toEqual([[], false]);
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual([]);
  });
});
