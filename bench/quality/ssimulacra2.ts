import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** An upright sRGB picture: rows of R, G, B bytes. */
export interface Pixels {
  data: Buffer;
  width: number;
  height: number;
}

/** SSIMULACRA2 of two pictures of one size: 100 the same, 90 no visible difference, 70 high, 50 medium quality. */
export type Metric = (original: Pixels, copy: Pixels) => number;

interface Wasm {
  initSync(module: Buffer): { memory: { buffer: ArrayBuffer } };
  new_buffer(key: string, length: number): void;
  get_buffer(key: string): number;
  calc_s2(original: string, copy: string, width: number, height: number): number;
}

const PACKAGE = 'calc-s2-rust@1.0.3';

/** Loads the metric; only this benchmark needs it, so it is no dependency of the service. */
export async function loadSsimulacra2(): Promise<Metric> {
  const script = findScript();
  const wasm = (await import(pathToFileURL(script).href)) as Wasm;
  const { memory } = wasm.initSync(readFileSync(join(dirname(script), 'calc_s2_rust_bg.wasm')));
  return (original, copy) =>
    quietly(() => {
      for (const [key, { data }] of Object.entries({ original, copy })) {
        wasm.new_buffer(key, data.length);
        new Uint8Array(memory.buffer, wasm.get_buffer(key), data.length).set(data);
      }
      return wasm.calc_s2('original', 'copy', original.width, original.height);
    });
}

function findScript(): string {
  try {
    return createRequire(import.meta.url).resolve('calc-s2-rust/calc_s2_rust.js');
  } catch (cause) {
    throw new Error(`This benchmark needs a metric: npm install --no-save ${PACKAGE}`, { cause });
  }
}

/** The package reports each buffer to the console. */
function quietly<T>(work: () => T): T {
  const { log } = console;
  console.log = () => {};
  try {
    return work();
  } finally {
    console.log = log;
  }
}
