import {
  AnimationMixer,
  Box3,
  LoadingManager,
  NeutralToneMapping,
  type Object3D,
  PerspectiveCamera,
  PMREMGenerator,
  Scene,
  Sphere,
  TextureLoader,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

export interface ModelScene {
  /** Turns the model by fractions of a full turn. */
  turn(across: number, down: number): void;
  zoom(factor: number): void;
  /** The first view. */
  reset(): void;
  setTurning(isTurning: boolean): void;
  dispose(): void;
}

/** Vertical angle of view in degrees. */
const ANGLE = 35;
const MAX_DRAWN_PIXELS_PER_PIXEL = 2;
/** Direction from the model to the camera. */
const FRONT = [0.5, 0.35, 1] as const;

/**
 * Shows a binary glTF on a canvas, turned by mouse and touch.
 * @param onTouch called when the user takes hold of the model
 * @throws Error without WebGL, or if the file is damaged
 */
export async function showModel(
  canvas: HTMLCanvasElement,
  bytes: ArrayBuffer,
  { isAnimated, onTouch }: { isAnimated: boolean; onTouch(): void },
): Promise<ModelScene> {
  const { scene: model, animations } = await parseModel(bytes);
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
  renderer.setPixelRatio(Math.min(devicePixelRatio, MAX_DRAWN_PIXELS_PER_PIXEL));
  renderer.toneMapping = NeutralToneMapping;
  const scene = new Scene();
  const light = new PMREMGenerator(renderer);
  scene.environment = light.fromScene(new RoomEnvironment(), 0.04).texture;
  scene.add(model);
  const camera = new PerspectiveCamera(ANGLE, 1);
  const controls = new OrbitControls(camera, canvas);
  controls.enableDamping = true;
  controls.enablePan = false;
  controls.addEventListener('start', onTouch);
  frame(model, camera, controls);
  const mixer = new AnimationMixer(model);
  const [first] = animations;
  const isMoving = first !== undefined && isAnimated;
  if (isMoving) mixer.clipAction(first).play();
  // Without a change nothing is drawn: weak graphics would be busy for as long as the viewer is open.
  let isChanged = true;
  const onChange = () => {
    isChanged = true;
  };
  controls.addEventListener('change', onChange);
  const stopSizing = followSize(canvas, renderer, camera, onChange);
  let last = 0;
  renderer.setAnimationLoop((time) => {
    if (isMoving) mixer.update(Math.min(0.1, (time - last) / 1000));
    last = time;
    controls.update();
    if (isChanged || isMoving) renderer.render(scene, camera);
    isChanged = false;
  });
  return {
    turn: (across, down) => orbit(camera, controls, across, down),
    zoom(factor) {
      camera.position
        .sub(controls.target)
        .multiplyScalar(1 / factor)
        .add(controls.target);
    },
    reset: () => controls.reset(),
    setTurning(isTurning) {
      controls.autoRotate = isTurning;
    },
    dispose() {
      renderer.setAnimationLoop(null);
      stopSizing();
      controls.dispose();
      light.dispose();
      renderer.dispose();
      // Browsers keep few contexts: the memory of a large model is free at once.
      renderer.forceContextLoss();
    },
  };
}

async function parseModel(bytes: ArrayBuffer) {
  // A model loads nothing from elsewhere.
  const manager = new LoadingManager().setURLModifier((url) => (url.startsWith('blob:') ? url : 'data:,'));
  const loader = new GLTFLoader(manager).register((parser) => {
    // The loader's own choice fetches the images, which `connect-src` forbids for those of the file.
    parser.textureLoader = new TextureLoader(parser.options.manager);
    return { name: 'images by elements' };
  });
  return loader.parseAsync(bytes, '');
}

/** Places the camera so that the model is visible from each side. */
function frame(model: Object3D, camera: PerspectiveCamera, controls: OrbitControls): void {
  const box = new Box3().setFromObject(model);
  const { center, radius } = box.isEmpty() ? { center: new Vector3(), radius: 1 } : box.getBoundingSphere(new Sphere());
  const size = radius || 1;
  const distance = (1.1 * size) / Math.sin((ANGLE * Math.PI) / 360);
  camera.position.copy(center).addScaledVector(new Vector3().set(...FRONT).normalize(), distance);
  camera.near = distance / 100;
  camera.far = distance * 20;
  controls.target.copy(center);
  controls.minDistance = size / 10;
  controls.maxDistance = distance * 4;
  controls.update();
  controls.saveState();
}

function orbit(camera: PerspectiveCamera, controls: OrbitControls, across: number, down: number): void {
  const at = camera.position.sub(controls.target);
  const distance = Math.hypot(at.x, at.y, at.z);
  const angle = Math.atan2(at.x, at.z) + 2 * Math.PI * across;
  const height = Math.acos(at.y / distance) + 2 * Math.PI * down;
  const bounded = Math.min(Math.PI - 0.05, Math.max(0.05, height));
  const flat = distance * Math.sin(bounded);
  at.set(flat * Math.sin(angle), distance * Math.cos(bounded), flat * Math.cos(angle)).add(controls.target);
}

/** @returns stops it */
function followSize(
  canvas: HTMLCanvasElement,
  renderer: WebGLRenderer,
  camera: PerspectiveCamera,
  onChange: () => void,
): () => void {
  const resize = () => {
    const { clientWidth, clientHeight } = canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    renderer.setSize(clientWidth, clientHeight, false);
    camera.aspect = clientWidth / clientHeight;
    camera.updateProjectionMatrix();
    onChange();
  };
  resize();
  const observer = new ResizeObserver(resize);
  observer.observe(canvas);
  return () => observer.disconnect();
}
