// The logged scene configuration of a mesh: camera, lights and material in the words of three.js. It comes from a log,
// so it can contain anything: values of the wrong type and unknown names are ignored. Pure.

import type { Vector } from "./pose";

export const LIGHTS = ["AmbientLight", "DirectionalLight", "PointLight", "HemisphereLight", "SpotLight"] as const;
export const MATERIALS = [
  "MeshStandardMaterial",
  "MeshPhongMaterial",
  "MeshLambertMaterial",
  "MeshBasicMaterial",
  "MeshNormalMaterial",
  "PointsMaterial",
] as const;

export interface CameraConfig {
  readonly isOrthographic: boolean;
  /** Degrees from top to bottom. */
  readonly fov: number;
  readonly near: number | null;
  readonly far: number | null;
  readonly position: Vector | null;
  readonly lookAt: Vector | null;
}

export interface LightConfig {
  readonly cls: (typeof LIGHTS)[number];
  readonly color: string;
  readonly groundColor: string;
  readonly intensity: number;
  readonly position: Vector | null;
}

export interface MaterialConfig {
  readonly cls: (typeof MATERIALS)[number] | null;
  readonly color: string | null;
  /** Of points, in units of the mesh; null: as suits their number. */
  readonly size: number | null;
  readonly isSizeInPx: boolean;
  readonly isWireframe: boolean;
  readonly isFlat: boolean;
  readonly opacity: number;
  readonly shininess: number;
  readonly roughness: number;
  readonly metalness: number;
}

export interface SceneConfig {
  readonly camera: CameraConfig;
  /** Empty: ours. */
  readonly lights: readonly LightConfig[];
  readonly material: MaterialConfig;
  /** What in it is not understood, in words. */
  readonly problems: readonly string[];
}

const DEFAULT_FOV = 50;
const MAX_LIGHTS = 8;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

function numberIn(value: unknown, low: number, high: number): number | null {
  return typeof value === "number" && Number.isFinite(value) ? Math.min(Math.max(value, low), high) : null;
}

function vectorOf(value: unknown): Vector | null {
  const parts = Array.isArray(value)
    ? (value as unknown[])
    : isFields(value)
      ? [value["x"], value["y"], value["z"]]
      : [];
  return parts.length === 3 && parts.every((part) => typeof part === "number" && Number.isFinite(part))
    ? (parts as unknown as Vector)
    : null;
}

/** "#a0a0a0", 0xa0a0a0 or a name, as three.js takes them. */
function colorOf(value: unknown): string | null {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffffff)
    return `#${value.toString(16).padStart(6, "0")}`;
  if (typeof value !== "string") return null;
  const text = value.trim().toLowerCase().replace(/^0x/, "#");
  return /^#([0-9a-f]{3}|[0-9a-f]{6})$|^[a-z]{3,25}$/.test(text) ? text : null;
}

export function readConfig(json: string): SceneConfig {
  const problems: string[] = [];
  let whole: unknown = {};
  try {
    whole = json.trim() === "" ? {} : JSON.parse(json);
  } catch {
    problems.push("Its configuration is no JSON.");
  }
  const { camera, lights, material } = fieldsOf(whole);
  return {
    camera: readCamera(fieldsOf(camera), problems),
    lights: readLights(lights, problems),
    material: readMaterial(fieldsOf(material), problems),
    problems,
  };
}

function readCamera(camera: Fields, problems: string[]): CameraConfig {
  const { cls } = camera;
  if (cls !== undefined && cls !== "PerspectiveCamera" && cls !== "OrthographicCamera")
    problems.push(`Its camera “${shown(cls)}” is not known.`);
  return {
    isOrthographic: cls === "OrthographicCamera",
    fov: numberIn(camera["fov"], 5, 150) ?? DEFAULT_FOV,
    near: numberIn(camera["near"], 0, Number.MAX_VALUE),
    far: numberIn(camera["far"], 0, Number.MAX_VALUE),
    position: vectorOf(camera["position"]),
    lookAt: vectorOf(camera["lookAt"] ?? camera["look_at"] ?? camera["target"]),
  };
}

function readLights(given: unknown, problems: string[]): LightConfig[] {
  if (!Array.isArray(given)) return [];
  const lights: LightConfig[] = [];
  for (const light of (given as unknown[]).slice(0, MAX_LIGHTS).map(fieldsOf)) {
    const cls = LIGHTS.find((name) => name === light["cls"]);
    if (!cls) {
      problems.push(`Its light “${shown(light["cls"])}” is not known.`);
      continue;
    }
    lights.push({
      cls,
      color: colorOf(light["color"] ?? light["skyColor"]) ?? "#ffffff",
      groundColor: colorOf(light["groundColor"]) ?? "#ffffff",
      intensity: numberIn(light["intensity"], 0, 100) ?? 1,
      position: vectorOf(light["position"]),
    });
  }
  return lights;
}

function readMaterial(material: Fields, problems: string[]): MaterialConfig {
  const cls = MATERIALS.find((name) => name === material["cls"]) ?? null;
  if (material["cls"] !== undefined && cls === null)
    problems.push(`Its material “${shown(material["cls"])}” is not known.`);
  return {
    cls,
    color: colorOf(material["color"]),
    size: numberIn(material["size"], 0, Number.MAX_VALUE),
    isSizeInPx: material["sizeAttenuation"] === false,
    isWireframe: material["wireframe"] === true,
    isFlat: material["flatShading"] === true,
    opacity: material["transparent"] === true ? (numberIn(material["opacity"], 0, 1) ?? 1) : 1,
    shininess: numberIn(material["shininess"], 0, 1_000) ?? 30,
    roughness: numberIn(material["roughness"], 0, 1) ?? 1,
    metalness: numberIn(material["metalness"], 0, 1) ?? 0,
  };
}

const shown = (value: unknown): string =>
  String(typeof value === "string" ? value : JSON.stringify(value)).slice(0, 40);
