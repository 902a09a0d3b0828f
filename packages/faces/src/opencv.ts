import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** Used parts of OpenCV's WebAssembly build. Objects with `delete` live outside the garbage collector. */
export interface OpenCv {
  Mat: new () => Mat;
  MatVector: new () => Vector<Mat>;
  RectVector: new () => Vector<{ x: number; y: number; width: number; height: number }>;
  IntVector: new () => Vector<number>;
  Size: new (width: number, height: number) => object;
  Rect: new (x: number, y: number, width: number, height: number) => object;
  Scalar: new (...values: readonly number[]) => object;
  CascadeClassifier: new () => Cascade;
  CV_8UC1: number;
  CV_8UC3: number;
  CV_32F: number;
  COLOR_GRAY2RGB: number;
  COLOR_RGB2GRAY: number;
  INTER_AREA: number;
  ROTATE_90_CLOCKWISE: number;
  ROTATE_180: number;
  ROTATE_90_COUNTERCLOCKWISE: number;
  matFromArray(rows: number, columns: number, type: number, data: Uint8Array): Mat;
  flip(source: Mat, target: Mat, axis: number): void;
  rotate(source: Mat, target: Mat, turn: number): void;
  resize(source: Mat, target: Mat, size: object, scaleX: number, scaleY: number, method: number): void;
  cvtColor(source: Mat, target: Mat, conversion: number): void;
  readNetFromTFLite(name: string): Net;
  /** Converts an image to the input of a network: `(samples - mean) * scale`, channel by channel. */
  blobFromImage(
    image: Mat,
    scale: number,
    size: object,
    mean: object,
    swapsRedAndBlue: boolean,
    isCut: boolean,
    type: number,
  ): Mat;
  FS_createDataFile(folder: string, name: string, data: Uint8Array, read: boolean, write: boolean, own: boolean): void;
  FS_unlink(path: string): void;
}

export interface Mat {
  cols: number;
  rows: number;
  /** View of its memory, valid until it is deleted. */
  data32F: Float32Array;
  /** Returns a part that shares the pixels and has to be deleted too. */
  roi(area: object): Mat;
  copyTo(target: Mat): void;
  delete(): void;
}

/** A neural network. */
export interface Net {
  setInput(blob: Mat): void;
  forward(): Mat;
  /** Runs it up to the outputs of these names. */
  forward2(outputs: Vector<Mat>, names: readonly string[]): void;
}

export interface Vector<T> {
  size(): number;
  get(index: number): T;
  delete(): void;
}

export interface Cascade {
  load(name: string): boolean;
  detectMultiScale2(
    image: Mat,
    found: Vector<{ x: number; y: number; width: number; height: number }>,
    neighbours: Vector<number>,
    scaleFactor: number,
    minNeighbours: number,
    flags: number,
    minSize: object,
    maxSize: object,
  ): void;
}

/** OpenCV's module object while it starts. */
interface StartingOpenCv extends OpenCv {
  then: (ready: () => void) => unknown;
  onAbort?: (reason: unknown) => void;
}

/**
 * Starts OpenCV in this process, which permanently takes about 100 MB. Rejects if the module is missing or cannot
 * start.
 */
export async function loadOpenCv(): Promise<{ cv: OpenCv }> {
  const before = fatalListeners();
  // Not `import()`: the module has a `then` that resolves with the module itself, so awaiting it never ends. So it is
  // returned within an object, too.
  const cv: StartingOpenCv = createRequire(import.meta.url)('@techstark/opencv-js');
  await new Promise<void>((resolve, reject) => {
    cv.onAbort = (reason) => reject(new Error('OpenCV could not start.', { cause: reason }));
    cv.then(() => resolve());
  });
  // OpenCV rethrows every uncaught error and rejection of the process, which is not a library's business.
  for (const { event, listener } of fatalListeners()) {
    if (!before.some((known) => known.listener === listener)) process.removeListener(event, listener);
  }
  return { cv };
}

/**
 * Loads a gzipped cascade file. It lives as long as the process. Rejects if the file is missing or is not a cascade.
 */
export async function loadCascade(cv: OpenCv, file: URL): Promise<Cascade> {
  return withFile(cv, await promisify(gunzip)(await readFile(file)), (name) => {
    const cascade = new cv.CascadeClassifier();
    if (!cascade.load(name)) throw new Error(`${file.pathname} is no cascade.`);
    return cascade;
  });
}

/** Loads a TensorFlow Lite network. It lives as long as the process. Rejects if the file is missing or invalid. */
export async function loadNet(cv: OpenCv, file: URL): Promise<Net> {
  return withFile(cv, await readFile(file), (name) => cv.readNetFromTFLite(name));
}

/** Gives OpenCV some bytes as a file. */
function withFile<T>(cv: OpenCv, bytes: Uint8Array, read: (name: string) => T): T {
  const name = 'model';
  cv.FS_createDataFile('/', name, bytes, true, true, false);
  try {
    return read(name);
  } finally {
    cv.FS_unlink(name);
  }
}

function fatalListeners() {
  return (['uncaughtException', 'unhandledRejection'] as const).flatMap((event) =>
    process.listeners(event as 'uncaughtException').map((listener) => ({ event, listener })),
  );
}
