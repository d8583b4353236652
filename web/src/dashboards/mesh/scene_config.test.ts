import { describe, expect, it } from "vitest";
import { readConfig } from "./scene_config";

describe("a mesh's configuration", () => {
  it("is read as three.js names it", () => {
    const got = readConfig(
      JSON.stringify({
        camera: {
          cls: "OrthographicCamera",
          fov: 75,
          near: 0.1,
          far: 20,
          position: [1, 2, 3],
          lookAt: { x: 0, y: 0, z: 1 },
        },
        lights: [
          { cls: "AmbientLight", color: "#ffffff", intensity: 0.9 },
          { cls: "PointLight", color: 255, position: [0, 1, 0] },
        ],
        material: { cls: "PointsMaterial", size: 0.05, color: "red" },
      }),
    );
    expect(got.camera).toEqual({
      isOrthographic: true,
      fov: 75,
      near: 0.1,
      far: 20,
      position: [1, 2, 3],
      lookAt: [0, 0, 1],
    });
    expect(got.lights.map(({ cls, color, intensity }) => [cls, color, intensity])).toEqual([
      ["AmbientLight", "#ffffff", 0.9],
      ["PointLight", "#0000ff", 1],
    ]);
    expect(got.material).toMatchObject({ cls: "PointsMaterial", size: 0.05, color: "red", opacity: 1 });
    expect(got.problems).toEqual([]);
  });

  it.each(["", "{}", "null", "[]", "3", '{"camera": [], "lights": {}, "material": "x"}'])(
    "may say nothing: %s",
    (json) => {
      expect(readConfig(json)).toMatchObject({
        camera: { isOrthographic: false, position: null },
        lights: [],
        material: { cls: null, size: null },
        problems: [],
      });
    },
  );

  it("that is no JSON is said", () => {
    expect(readConfig("{camera").problems).toEqual(["Its configuration is no JSON."]);
  });

  it("cannot name anything but what is known", () => {
    const got = readConfig(
      JSON.stringify({
        camera: { cls: "constructor", fov: -1e9, position: [1, 2], near: "x" },
        lights: [{ cls: "WebGLRenderer" }, { cls: "AmbientLight", color: "url(x)", intensity: 1e9 }, 7],
        material: { cls: "ShaderMaterial", fragmentShader: "x", color: "#12", size: null },
      }),
    );
    expect(got.camera).toMatchObject({ isOrthographic: false, fov: 5, position: null, near: null });
    expect(got.lights).toEqual([
      { cls: "AmbientLight", color: "#ffffff", groundColor: "#ffffff", intensity: 100, position: null },
    ]);
    expect(got.material).toMatchObject({ cls: null, color: null, size: null });
    expect(got.problems).toEqual([
      "Its camera “constructor” is not known.",
      "Its light “WebGLRenderer” is not known.",
      "Its light “undefined” is not known.",
      "Its material “ShaderMaterial” is not known.",
    ]);
  });
});
