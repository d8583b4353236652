// One mesh or point cloud as three.js draws it, with the camera, lights and material that it was logged with or else
// ours. Knows nothing of cards, runs or the page.

import {
  AmbientLight,
  AxesHelper,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  Group,
  HemisphereLight,
  type Light,
  type Material,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshNormalMaterial,
  MeshPhongMaterial,
  MeshStandardMaterial,
  OrthographicCamera,
  PerspectiveCamera,
  PointLight,
  Points,
  PointsMaterial,
  Scene,
  SpotLight,
} from "three";
import type { MeshGeometry } from "./geometry";
import type { Look } from "./options";
import type { Sight, Sphere, Vector } from "./pose";
import type { LightConfig, SceneConfig } from "./scene_config";

// Lights of older three.js, which configurations are written for, were this much brighter.
const LIGHT = Math.PI;
// Together they show a surface that faces the light in exactly its own colour.
const AMBIENT = 0.4;
const HEADLIGHT = 0.6;
const AXES_RADII = 1;
/** A mesh of fewer faces than this is one of edges, which smoothing would only blur. */
const FEW_FACES = 64;
const MIN_DOT_PX = 3;
export const AXIS_COLORS = { x: "#d8504d", y: "#3f9e4d", z: "#4a78d8" } as const;

export class MeshScene {
  readonly scene = new Scene();
  readonly #perspective = new PerspectiveCamera();
  readonly #flat = new OrthographicCamera();
  readonly #shape = new BufferGeometry();
  /** Everything with a place in the mesh's own coordinates. */
  readonly #world = new Group();
  readonly #axes = new AxesHelper(1);
  #object: Mesh | Points | null = null;
  #lookKey = "";

  constructor(
    private readonly geometry: MeshGeometry,
    private readonly config: SceneConfig,
  ) {
    const { vertices, faces, colors } = geometry;
    this.#shape.setAttribute("position", new BufferAttribute(vertices, 3));
    if (faces) this.#shape.setIndex(new BufferAttribute(faces, 1));
    if (colors) this.#shape.setAttribute("color", new BufferAttribute(colors, 3, true));
    this.scene.add(this.#world, this.#perspective, this.#flat);
    this.#axes.setColors(AXIS_COLORS.x, AXIS_COLORS.y, AXIS_COLORS.z);
    Object.assign(this.#axes.material, { transparent: true, opacity: 0.55 });
    this.#world.add(this.#axes);
    if (config.lights.length > 0) this.#world.add(...config.lights.flatMap(makeLight));
    else this.#addOurLights();
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.config.camera.isOrthographic ? this.#flat : this.#perspective;
  }

  setLook(look: Look, color: string): void {
    this.#axes.visible = look.hasAxes;
    const key = `${look.shading} ${look.pointSize} ${color}`;
    if (key === this.#lookKey) return;
    this.#lookKey = key;
    this.#remove();
    const hasFaces = this.geometry.faces !== null && look.shading !== "points";
    if (hasFaces) {
      if (!this.#isFlat(look) && !this.#shape.hasAttribute("normal")) this.#shape.computeVertexNormals();
      this.#object = new Mesh(this.#shape, this.#surface(look, color));
    } else this.#object = new Points(this.#shape, this.#dots(look, color));
    // Always in sight, or so near to it that asking costs more than drawing.
    this.#object.frustumCulled = false;
    this.#object.position.set(...this.geometry.bounds.center);
    this.#world.add(this.#object);
  }

  /** Numbers near zero on the graphics card, wherever in space the mesh is. */
  setSight(sight: Sight, home: Sphere, aspect: number): void {
    const { fov, near: wantedNear, far: wantedFar, isOrthographic } = this.config.camera;
    const [x, y, z] = home.center;
    this.#world.position.set(-x, -y, -z);
    this.#axes.scale.setScalar(home.radius * AXES_RADII);
    const { camera } = this;
    camera.position.set(sight.eye[0] - x, sight.eye[1] - y, sight.eye[2] - z);
    camera.up.set(...sight.up);
    camera.lookAt(sight.target[0] - x, sight.target[1] - y, sight.target[2] - z);
    const apart = distance(sight.eye, this.geometry.bounds.center);
    const reach = Math.max(
      this.geometry.bounds.radius,
      this.#axes.visible ? distance([0, 0, 0], this.geometry.bounds.center) + home.radius * AXES_RADII : 0,
    );
    // What a configuration says may only widen this: nothing of the mesh is ever cut off.
    const far = Math.max((apart + reach) * 1.01, wantedFar ?? 0);
    const near = Math.max((apart - reach) * 0.9, sight.distance * 1e-3);
    camera.far = far;
    if (isOrthographic) {
      const half = sight.distance * Math.tan((fov * Math.PI) / 360);
      Object.assign(this.#flat, { top: half, bottom: -half, left: -half * aspect, right: half * aspect, near: -far });
    } else Object.assign(this.#perspective, { fov, aspect, near: wantedNear ? Math.min(near, wantedNear) : near });
    camera.updateProjectionMatrix();
  }

  dispose(): void {
    this.#remove();
    this.#shape.dispose();
    this.#axes.dispose();
  }

  #remove(): void {
    if (!this.#object) return;
    this.#world.remove(this.#object);
    (this.#object.material as Material).dispose();
    this.#object = null;
  }

  /** A light that goes with the camera leaves no side in the dark. */
  #addOurLights(): void {
    this.scene.add(new AmbientLight(0xffffff, AMBIENT * LIGHT));
    const light = new DirectionalLight(0xffffff, HEADLIGHT * LIGHT);
    light.position.set(0.4, 0.6, 1);
    this.camera.add(light, light.target);
  }

  #isFlat(look: Look): boolean {
    const faces = (this.geometry.faces?.length ?? 0) / 3;
    return look.shading === "flat" || this.config.material.isFlat || faces < FEW_FACES;
  }

  #surface(look: Look, color: string): Material {
    const { material } = this.config;
    const common = {
      color: this.#color(color),
      vertexColors: this.geometry.colors !== null,
      side: DoubleSide,
      opacity: material.opacity,
      transparent: material.opacity < 1,
    };
    if (look.shading === "wireframe" || material.isWireframe)
      return new MeshBasicMaterial({ ...common, wireframe: true });
    const flatShading = this.#isFlat(look);
    switch (material.cls) {
      case "MeshBasicMaterial":
        return new MeshBasicMaterial(common);
      case "MeshNormalMaterial":
        return new MeshNormalMaterial({ side: DoubleSide, flatShading });
      case "MeshPhongMaterial":
        return new MeshPhongMaterial({ ...common, flatShading, shininess: material.shininess });
      case "MeshStandardMaterial":
        return new MeshStandardMaterial({
          ...common,
          flatShading,
          roughness: material.roughness,
          metalness: material.metalness,
        });
      default:
        return new MeshLambertMaterial({ ...common, flatShading });
    }
  }

  #dots(look: Look, color: string): Material {
    const { material } = this.config;
    const isLogged = material.size !== null;
    const dots = new PointsMaterial({
      color: this.#color(color),
      vertexColors: this.geometry.colors !== null,
      size: (material.size ?? dotPx(this.geometry.vertices.length / 3)) * look.pointSize,
      sizeAttenuation: isLogged && !material.isSizeInPx && !this.config.camera.isOrthographic,
      opacity: material.opacity,
      transparent: material.opacity < 1,
    });
    // Round ones, because a crowd of squares looks like a raster; and none so small that it is lost.
    dots.onBeforeCompile = (shader) => {
      shader.vertexShader = shader.vertexShader.replace(
        "#include <logdepthbuf_vertex>",
        `gl_PointSize = max(gl_PointSize, ${MIN_DOT_PX}.0);\n#include <logdepthbuf_vertex>`,
      );
      shader.fragmentShader = shader.fragmentShader.replace(
        "void main() {",
        "void main() {\n\tif (length(gl_PointCoord - 0.5) > 0.5) discard;",
      );
    };
    return dots;
  }

  /** The colours of vertices are multiplied by it. */
  #color(color: string): Color {
    if (this.geometry.colors) return new Color(0xffffff);
    const logged = this.config.material.color;
    const isKnown = logged !== null && (logged.startsWith("#") || Object.hasOwn(Color.NAMES, logged));
    return new Color(isKnown ? logged : color);
  }
}

/** A few points are dots; a million are dust. */
const dotPx = (count: number): number => (count < 500 ? 6 : count < 5_000 ? 4 : count < 50_000 ? 3 : 2);

const distance = (a: Vector, b: Vector): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

function makeLight({ cls, color, groundColor, intensity, position }: LightConfig): (Light | Group)[] {
  const tint = color.startsWith("#") || Object.hasOwn(Color.NAMES, color) ? color : "#ffffff";
  const bright = intensity * LIGHT;
  let light: Light;
  if (cls === "AmbientLight") light = new AmbientLight(tint, bright);
  else if (cls === "HemisphereLight")
    light = new HemisphereLight(tint, groundColor.startsWith("#") ? groundColor : "#ffffff", bright);
  else if (cls === "DirectionalLight") light = new DirectionalLight(tint, bright);
  // Without a decay, as such lights were when configurations were first written.
  else if (cls === "PointLight") light = new PointLight(tint, bright, 0, 0);
  else light = new SpotLight(tint, bright, 0, Math.PI / 3, 0, 0);
  if (position) light.position.set(...position);
  // Those that have a target look at zero of the mesh's own coordinates, which moves with everything else.
  const target =
    light instanceof DirectionalLight || light instanceof SpotLight ? [light.target as unknown as Group] : [];
  return [light, ...target];
}
