// The parts of three that the viewer uses: its own types are a further package, which brings six more.

declare module 'three' {
  export class Vector3 {
    x: number;
    y: number;
    z: number;
    copy(from: Vector3): this;
    set(x: number, y: number, z: number): this;
    addScaledVector(direction: Vector3, length: number): this;
    sub(other: Vector3): this;
    add(other: Vector3): this;
    multiplyScalar(factor: number): this;
    normalize(): this;
  }
  export class Sphere {
    center: Vector3;
    radius: number;
  }
  export class Box3 {
    setFromObject(object: Object3D): this;
    getBoundingSphere(sphere: Sphere): Sphere;
    isEmpty(): boolean;
  }
  export class Object3D {
    position: Vector3;
    add(object: Object3D): this;
    traverse(visit: (object: Object3D) => void): void;
  }
  export interface Texture {
    dispose(): void;
  }
  export class Scene extends Object3D {
    environment: Texture | null;
  }
  export class PerspectiveCamera extends Object3D {
    constructor(angle: number, aspect: number);
    aspect: number;
    near: number;
    far: number;
    updateProjectionMatrix(): void;
  }
  export class WebGLRenderer {
    constructor(options: { canvas: HTMLCanvasElement; antialias: boolean; alpha: boolean });
    toneMapping: number;
    setPixelRatio(ratio: number): void;
    setSize(width: number, height: number, isStyled: boolean): void;
    setAnimationLoop(draw: ((time: number) => void) | null): void;
    render(scene: Scene, camera: PerspectiveCamera): void;
    dispose(): void;
    forceContextLoss(): void;
  }
  export class PMREMGenerator {
    constructor(renderer: WebGLRenderer);
    fromScene(scene: Scene, blur: number): { texture: Texture };
    dispose(): void;
  }
  export class LoadingManager {
    setURLModifier(change: (url: string) => string): this;
  }
  export class TextureLoader {
    constructor(manager: LoadingManager);
  }
  export class AnimationMixer {
    constructor(root: Object3D);
    clipAction(clip: AnimationClip): { play(): void };
    update(seconds: number): void;
  }
  export interface AnimationClip {
    name: string;
  }
  export const NeutralToneMapping: number;
}

declare module 'three/addons/loaders/GLTFLoader.js' {
  import type { AnimationClip, LoadingManager, Object3D, TextureLoader } from 'three';

  interface Parser {
    options: { manager: LoadingManager };
    textureLoader: TextureLoader;
  }
  export class GLTFLoader {
    constructor(manager: LoadingManager);
    register(plugin: (parser: Parser) => { name: string }): this;
    parseAsync(bytes: ArrayBuffer, path: string): Promise<{ scene: Object3D; animations: AnimationClip[] }>;
  }
}

declare module 'three/addons/controls/OrbitControls.js' {
  import type { PerspectiveCamera, Vector3 } from 'three';
  export class OrbitControls {
    constructor(camera: PerspectiveCamera, element: HTMLElement);
    target: Vector3;
    enableDamping: boolean;
    enablePan: boolean;
    autoRotate: boolean;
    minDistance: number;
    maxDistance: number;
    update(): void;
    saveState(): void;
    reset(): void;
    addEventListener(name: 'start' | 'change', listener: () => void): void;
    dispose(): void;
  }
}

declare module 'three/addons/environments/RoomEnvironment.js' {
  import { Scene } from 'three';
  export class RoomEnvironment extends Scene {}
}
