import { expect, test } from "vitest";
import { BookmarksError, positionsOf, readStates, type State, withPositions, writeStates } from "./states";

// As TensorBoard 2.21 writes it, with most fields left out.
const saved = {
  label: "State 0",
  isSelected: true,
  selectedProjection: "umap",
  dataSetDimensions: [3, 50],
  umapIs3d: false,
  umapNeighbors: 15,
  projections: [
    { "umap-0": 1, "umap-1": 2, "pca-0": 9 },
    { "umap-0": 3, "umap-1": 4 },
    { "umap-0": 5, "umap-1": 6 },
  ],
  selectedPoints: [1],
  cameraDef: { orthographic: true, position: [0, 0, 1], target: [0, 0, 0], zoom: 1.2 },
  selectedColorOptionName: "label",
};

test("a file of TensorBoard gives the positions that it shows", () => {
  const [state] = readStates(JSON.stringify([saved]), 3, 50);
  expect(state).toMatchObject({ label: "State 0", selectedPoints: [1], umapNeighbors: 15 });
  expect(positionsOf(state as State)).toEqual({
    positions: Float32Array.of(1, 2, 3, 4, 5, 6),
    dimensions: 2,
    rows: null,
  });
  // The same row in another projection: two rows have no position there.
  const pca = { ...(state as State), selectedProjection: "pca" as const, pcaComponentDimensions: [0, 0] };
  expect(positionsOf(pca)?.rows).toEqual(Int32Array.of(0));
  expect(positionsOf({ ...pca, projections: [] })).toBeNull();
});

test("what is written is read again", () => {
  const state: State = { label: "mine", selectedProjection: "tsne", dataSetDimensions: [3, 50], tSNEis3d: false };
  const positions = { positions: Float32Array.of(1, 2, 3, 4), dimensions: 2, rows: Int32Array.of(0, 2) };
  const [again] = readStates(writeStates([withPositions(state, positions)]), 3, 50);
  expect(again?.projections).toEqual([{ "tsne-0": 1, "tsne-1": 2 }, {}, { "tsne-0": 3, "tsne-1": 4 }]);
  expect(positionsOf(again as State)).toEqual(positions);
});

test("a view of some points has these alone in a file", () => {
  const places = [
    { "umap-0": 5, "umap-1": 6 },
    { "umap-0": 1, "umap-1": 2 },
  ];
  const filtered = { ...saved, filteredPoints: [2, 0], projections: places, selectedPoints: [0] };
  // TensorBoard writes the number of the filtered points, and reads that of all.
  for (const count of [2, 3]) {
    const file = JSON.stringify([{ ...filtered, dataSetDimensions: [count, 50] }]);
    const [state] = readStates(file, 3, 50);
    expect(state?.selectedPoints).toEqual([2]);
    expect(positionsOf(state as State)).toEqual({
      positions: Float32Array.of(1, 2, 5, 6),
      dimensions: 2,
      rows: Int32Array.of(0, 2),
    });
    expect(JSON.parse(writeStates([state as State]))).toEqual([{ ...filtered, dataSetDimensions: [3, 50] }]);
  }
  expect(() => readStates(JSON.stringify([{ ...filtered, dataSetDimensions: [4, 50] }]), 3, 50)).toThrow("4 × 50");
});

test("other files are refused with a reason", () => {
  expect(() => readStates("word\tid", 3, 50)).toThrow("This file is not JSON.");
  expect(() => readStates('{"a": 1}', 3, 50)).toThrow(BookmarksError);
  expect(() => readStates(JSON.stringify([saved]), 4, 50)).toThrow("3 × 50, and this one has 4 × 50");
  // One state alone, and one without a name.
  expect(readStates(JSON.stringify({ ...saved, label: "" }), 3, 50)[0]?.label).toBe("Bookmark 1");
});

test("positions of PCA stand in the columns of their components", () => {
  const cells = { "pca-1": 1, "pca-3": 3 };
  const state = { ...saved, selectedProjection: "pca", pcaComponentDimensions: [3, 1], projections: [cells] };
  const [read] = readStates(JSON.stringify([{ ...state, dataSetDimensions: [1, 50] }]), 1, 50);
  expect(positionsOf(read as State)).toEqual({ positions: Float32Array.of(0, 1, 0, 3), dimensions: 4, rows: null });
});
