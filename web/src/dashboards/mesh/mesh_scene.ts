// One mesh or point cloud as a three.js scene, with its logged camera, lights and material or our defaults. Knows
// nothing of cards, runs or the page.

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
import type { MeshOptions } from "./options";
import type { CameraView, Sphere, Vector } from "./pose";
import type { LightConfig, SceneConfig } from "./scene_config";

// Configurations are written for older three.js, whose lights were this much brighter.
const LIGHT = Math.PI;
// Together they show a surface that faces the light in its own colour.
const AMBIENT = 0.4;
const HEADLIGHT = 0.6;
const AXES_RADII = 1;
/** Smoothing would blur the edges of a mesh with fewer faces than this. */
const FEW_FACES = 64;
const MIN_DOT_PX = 3;
export const AXIS_COLORS = { x: "#d8504d", y: "#3f9e4d", z: "#4a78d8" } as const;

export class MeshScene {
  readonly scene = new Scene();
  readonly #perspective = new PerspectiveCamera();
  readonly #flat = new OrthographicCamera();
  readonly #shape = new BufferGeometry();
  /** Everything in the mesh's coordinates. */
  readonly #world = new Group();
  readonly #axes = new AxesHelper(1);
  #object: Mesh | Points | null = null;
  #optionsKey = "";

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

  setOptions(options: MeshOptions, color: string): void {
    this.#axes.visible = options.hasAxes;
    const key = `${options.shading} ${options.pointSize} ${color}`;
    if (key === this.#optionsKey) return;
    this.#optionsKey = key;
    this.#remove();
    const hasFaces = this.geometry.faces !== null && options.shading !== "points";
    if (hasFaces) {
      if (!this.#isFlat(options) && !this.#shape.hasAttribute("normal")) this.#shape.computeVertexNormals();
      this.#object = new Mesh(this.#shape, this.#surface(options, color));
    } else this.#object = new Points(this.#shape, this.#dots(options, color));
    // Nearly always in view, so culling costs more than drawing.
    this.#object.frustumCulled = false;
    this.#object.position.set(...this.geometry.bounds.center);
    this.#world.add(this.#object);
  }

  /** Coordinates are relative to the target, so that they are small on the graphics card. */
  setCamera(view: CameraView, targetSphere: Sphere, aspect: number): void {
    const { fov, near: wantedNear, far: wantedFar, isOrthographic } = this.config.camera;
    const [x, y, z] = targetSphere.center;
    this.#world.position.set(-x, -y, -z);
    this.#axes.scale.setScalar(targetSphere.radius * AXES_RADII);
    const { camera } = this;
    camera.position.set(view.eye[0] - x, view.eye[1] - y, view.eye[2] - z);
    camera.up.set(...view.up);
    camera.lookAt(view.target[0] - x, view.target[1] - y, view.target[2] - z);
    const apart = distance(view.eye, this.geometry.bounds.center);
    const reach = Math.max(
      this.geometry.bounds.radius,
      this.#axes.visible ? distance([0, 0, 0], this.geometry.bounds.center) + targetSphere.radius * AXES_RADII : 0,
    );
    // A configuration may only widen this, so that no part of the mesh is clipped.
    const far = Math.max((apart + reach) * 1.01, wantedFar ?? 0);
    const near = Math.max((apart - reach) * 0.9, view.distance * 1e-3);
    camera.far = far;
    if (isOrthographic) {
      const half = view.distance * Math.tan((fov * Math.PI) / 360);
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

  /** A headlight lights every side. */
  #addOurLights(): void {
    this.scene.add(new AmbientLight(0xffffff, AMBIENT * LIGHT));
    const light = new DirectionalLight(0xffffff, HEADLIGHT * LIGHT);
    light.position.set(0.4, 0.6, 1);
    this.camera.add(light, light.target);
  }

  #isFlat(options: MeshOptions): boolean {
    const faces = (this.geometry.faces?.length ?? 0) / 3;
    return options.shading === "flat" || this.config.material.isFlat || faces < FEW_FACES;
  }

  #surface(options: MeshOptions, color: string): Material {
    const { material } = this.config;
    const common = {
      color: this.#color(color),
      vertexColors: this.geometry.colors !== null,
      side: DoubleSide,
      opacity: material.opacity,
      transparent: material.opacity < 1,
    };
    if (options.shading === "wireframe" || material.isWireframe)
      return new MeshBasicMaterial({ ...common, wireframe: true });
    const flatShading = this.#isFlat(options);
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

  #dots(options: MeshOptions, color: string): Material {
    const { material } = this.config;
    const isLogged = material.size !== null;
    const dots = new PointsMaterial({
      color: this.#color(color),
      vertexColors: this.geometry.colors !== null,
      size: (material.size ?? dotPx(this.geometry.vertices.length / 3)) * options.pointSize,
      sizeAttenuation: isLogged && !material.isSizeInPx && !this.config.camera.isOrthographic,
      opacity: material.opacity,
      transparent: material.opacity < 1,
    });
    // Round, because many squares look like a raster; and large enough to be seen.
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

  /** Multiplied with the colours of the vertices. */
  #color(color: string): Color {
    if (this.geometry.colors) return new Color(0xffffff);
    const logged = this.config.material.color;
    const isKnown = logged !== null && (logged.startsWith("#") || Object.hasOwn(Color.NAMES, logged));
    return new Color(isKnown ? logged : color);
  }
}

/** The more points, the smaller. */
const dotPx = (count: number): number => (count < 500 ? 6 : count < 5_000 ? 4 : count < 50_000 ? 3 : 2);

const distance = (a: Vector, b: Vector): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

function makeLight({ cls, color, groundColor, intensity, position }: LightConfig): (Light | Group)[] {
  const tint = color.startsWith("#") || Object.hasOwn(Color.NAMES, color) ? color : "#ffffff";
  const brightness = intensity * LIGHT;
  let light: Light;
  if (cls === "AmbientLight") light = new AmbientLight(tint, brightness);
  else if (cls === "HemisphereLight")
    light = new HemisphereLight(tint, groundColor.startsWith("#") ? groundColor : "#ffffff", brightness);
  else if (cls === "DirectionalLight") light = new DirectionalLight(tint, brightness);
  // Without decay, as in older three.js.
  else if (cls === "PointLight") light = new PointLight(tint, brightness, 0, 0);
  else light = new SpotLight(tint, brightness, 0, Math.PI / 3, 0, 0);
  if (position) light.position.set(...position);
  // A light's target is the origin of the mesh's coordinates, which moves with the mesh.
  const target =
    light instanceof DirectionalLight || light instanceof SpotLight ? [light.target as unknown as Group] : [];
  return [light, ...target];
}
