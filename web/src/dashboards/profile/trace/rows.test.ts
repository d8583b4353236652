import { describe, expect, test } from "vitest";
import { groupTracks, layRows, moved, placeAt, type RowChoices, rowsBetween, siblingsOf } from "./rows";
import { sampleAbout, sampleCounter, sampleTrack } from "./sample_trace";

const CHOICES: RowChoices = {
  collapsed: new Set(),
  opened: new Set(),
  pinned: new Set(),
  hidden: new Set(),
  order: [],
  filter: "",
};
const ABOUT = sampleAbout({
  tracks: [
    sampleTrack(0, { thread: "main", rows: 5 }),
    sampleTrack(1, { name: "autograd", thread: "thread 77 (autograd)", thread_id: "77" }),
    sampleTrack(2, { thread: "pool a", events: 3 }),
    sampleTrack(3, { thread: "pool b", events: 4 }),
    sampleTrack(4, { thread: "main", kind: "python", rows: 25 }),
    sampleTrack(5, { process: "gpu", place: "device", device: 0, kind: "stream", thread: "stream 7", rows: 1 }),
    sampleTrack(6, { process: "gpu", place: "device", device: 0, kind: "counter", thread: "Memory", events: 0 }),
  ],
  counters: [sampleCounter(0, 6, "Memory allocated"), sampleCounter(1, 6, "Memory reserved")],
  devices: [
    {
      ...{ id: 0, host: "", name: "NVIDIA H200", memory_bytes: null, capability: null, processors: null },
      ...{ peak_flops: null, bandwidth_bytes: null },
    },
  ],
});
const GROUPS = groupTracks(ABOUT);
const labels = (choices: Partial<RowChoices>): string[] =>
  layRows(GROUPS, { ...CHOICES, ...choices }).rows.map(({ label }) => label);

describe("rows", () => {
  test("hosts before devices, quiet threads folded, counters of one track joined", () => {
    const { rows, height } = layRows(GROUPS, CHOICES);
    expect(rows.map(({ label, detail }) => [label, detail])).toEqual([
      ["Host", "train.py, 4 threads"],
      ["main", "thread 0"],
      ["autograd", "thread 77"],
      ["main", "Python, thread 4"],
      ["2 quiet threads", ""],
      ["GPU 0", "NVIDIA H200"],
      ["stream 7", "thread 5"],
      ["Memory", "allocated, reserved"],
    ]);
    for (const [i, row] of rows.entries()) expect(row.y + row.height).toBe(rows[i + 1]?.y ?? height);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  test("frames of Python are one line until they are opened", () => {
    const python = layRows(GROUPS, CHOICES).rows.find(({ tracks, kind }) => kind === "track" && tracks[0] === 4);
    expect(python?.isCollapsed).toBe(true);
    const opened = layRows(GROUPS, { ...CHOICES, opened: new Set([python?.key ?? ""]) }).rows;
    expect(opened.find(({ key }) => key === python?.key)?.height).toBeGreaterThan(25 * 18);
  });

  test("collapsed, opened, hidden, pinned, filtered and moved", () => {
    const [host, device] = GROUPS.map(({ key }) => key) as [string, string];
    const [, autograd] = GROUPS[0]?.items.map(({ key }) => key) as [string, string];
    expect(labels({ collapsed: new Set([host, device]) })).toEqual(["Host", "GPU 0"]);
    expect(labels({ opened: new Set([`${host}/quiet`]) })).toContain("pool b");
    expect(labels({ hidden: new Set([autograd]) })).not.toContain("autograd");
    expect(labels({ filter: "pool" })).toEqual(["Host", "pool a", "pool b"]);
    expect(labels({ order: [device, host] })[0]).toBe("GPU 0");
    const { pinned, rows } = layRows(GROUPS, { ...CHOICES, pinned: new Set([autograd]) });
    expect(pinned.map(({ label }) => label)).toEqual(["autograd"]);
    expect(rows.map(({ label }) => label)).not.toContain("autograd");
  });

  test("devices come first where the stacks of the host are deep", () => {
    const deep = groupTracks({ ...ABOUT, tracks: ABOUT.tracks.map((track) => ({ ...track, rows: track.rows * 6 })) });
    expect(deep[0]?.place).toBe("device");
  });

  test("groups with a few events are closed at first, beside others with many", () => {
    const about = { ...ABOUT, tracks: [...ABOUT.tracks, sampleTrack(9, { process: "Spans", events: 2 })] };
    const groups = groupTracks(about);
    const closed = layRows(groups, CHOICES).rows.find(({ label }) => label === "Spans");
    expect(closed?.isCollapsed).toBe(true);
    const opened = layRows(groups, { ...CHOICES, opened: new Set([closed?.key ?? ""]) }).rows;
    expect(opened.at(-1)?.tracks).toEqual([9]);
  });

  test("every track is in one row", () => {
    const tracks = layRows(GROUPS, CHOICES).rows.flatMap((row) => (row.kind === "group" ? [] : row.tracks));
    expect(tracks.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

test("a thread whose number is a hash is called by its name alone", () => {
  const track = sampleTrack(0, {
    name: "pool 1",
    thread: "pool/-8052472004597701547",
    thread_id: "-8052472004597701547",
  });
  const [group] = groupTracks(sampleAbout({ tracks: [track] }));
  expect(group?.items.map(({ label, detail }) => [label, detail])).toEqual([["pool 1", ""]]);
});

test("a hundred thousand tracks are a few rows", () => {
  const tracks = Array.from({ length: 100_000 }, (_, id) => sampleTrack(id, { events: id === 0 ? 1e6 : 1 }));
  const { rows } = layRows(groupTracks(sampleAbout({ tracks })), CHOICES);
  expect(rows.map(({ label }) => label)).toEqual(["Host", "thread 0", "99,999 quiet threads"]);
});

test("many threads of one name and many processes take no square of their number", () => {
  const threads = Array.from({ length: 50_000 }, (_, id) => sampleTrack(id, { thread: "worker", thread_id: "" }));
  const [group] = groupTracks(sampleAbout({ tracks: threads }));
  expect(new Set(group?.items.map(({ key }) => key)).size).toBe(50_000);
  expect(group?.items[2]?.key).toBe("train.py/worker#3");
  const processes = threads.map((track) => ({ ...track, process: `p${track.id}`, events: 1 }));
  const { rows } = layRows(groupTracks(sampleAbout({ tracks: processes })), CHOICES);
  expect(rows.length).toBe(100_000);
});

test("rows between two heights", () => {
  const { rows } = layRows(GROUPS, CHOICES);
  const [begin, end] = rowsBetween(rows, (rows[2]?.y ?? 0) + 1, rows[4]?.y ?? 0);
  expect([begin, end]).toEqual([2, 4]);
});

test("a key is moved before another", () => {
  expect(moved(["a", "b", "c"], "c", "a")).toEqual(["c", "a", "b"]);
  expect(moved(["a", "b", "c"], "a", null)).toEqual(["b", "c", "a"]);
});

test("a label that is dragged takes the place of those that it passes", () => {
  const { rows } = layRows(GROUPS, CHOICES);
  const find = (label: string, detail?: string) =>
    rows.find((row) => row.label === label && (detail === undefined || row.detail === detail)) as (typeof rows)[number];
  const [main, autograd, python, host, device] = [
    find("main", "thread 0"),
    find("autograd"),
    find("main", "Python, thread 4"),
    find("Host"),
    find("GPU 0"),
  ];
  expect(siblingsOf(rows, main.key)).toEqual([main, autograd, python]);
  const middle = ({ y, height }: typeof main): number => y + height / 2;
  expect(placeAt(rows, main.key, middle(main))).toBeNull();
  expect(placeAt(rows, main.key, middle(autograd) - 1)).toBeNull();
  expect(placeAt(rows, main.key, middle(autograd) + 1)).toEqual({ before: python.key });
  expect(placeAt(rows, main.key, 10_000)).toEqual({ before: null });
  expect(placeAt(rows, python.key, -5)).toEqual({ before: main.key });
  // Below the middle of the other group.
  expect(placeAt(rows, host.key, device.y + 1)).toBeNull();
  expect(placeAt(rows, host.key, 10_000)).toEqual({ before: null });
  expect(placeAt(rows, device.key, 0)).toEqual({ before: host.key });
});
