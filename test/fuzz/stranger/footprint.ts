import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { childrenOf } from '../../processes.ts';

/** Peak resource usage of a service, in bytes. */
export interface Footprint {
  /** Memory of all its processes; shared pages count once. */
  memory: number;
  /** Composition of the peak memory: bytes by program. */
  programs: Record<string, number>;
  /** Bytes below each folder of the data folder. */
  folders: Record<string, number>;
  openFiles: number;
}

const INTERVAL_MS = 1000;
/** Measuring the folders costs more, and they change more slowly. */
const LOOKS_PER_MEASURE = 5;

/**
 * Measures the usage of a service and its children every second; returns a function that stops it and gives the peak.
 */
export function watchFootprint(pid: number, data: string): () => Promise<Footprint> {
  const most: Footprint = { memory: 0, programs: {}, folders: {}, openFiles: 0 };
  let looks = 0;
  const look = async () => {
    const programs: Record<string, number> = {};
    for (const one of [pid, ...(await descendantsOf(pid))]) {
      const { name, bytes } = await memoryOf(one);
      if (bytes > 0) programs[name] = (programs[name] ?? 0) + bytes;
    }
    const memory = Object.values(programs).reduce((sum, bytes) => sum + bytes, 0);
    if (memory > most.memory) Object.assign(most, { memory, programs });
    most.openFiles = Math.max(most.openFiles, (await readdir(`/proc/${pid}/fd`).catch(() => [])).length);
    if (looks++ % LOOKS_PER_MEASURE !== 0) return;
    for (const folder of await readdir(data).catch(() => [])) {
      most.folders[folder] = Math.max(most.folders[folder] ?? 0, await sizeOf(join(data, folder)));
    }
  };
  let looking = look();
  const timer = setInterval(() => {
    looking = looking.then(look, look);
  }, INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await looking;
    return most;
  };
}

async function descendantsOf(pid: number): Promise<number[]> {
  const children = await childrenOf(pid);
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
}

/**
 * Returns the proportional memory, so that pages shared by several processes count once; 0 for a process that has
 * ended.
 */
async function memoryOf(pid: number): Promise<{ name: string; bytes: number }> {
  const [pages, command] = await Promise.all(
    ['smaps_rollup', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
  );
  const kilobytes = Number(/^Pss:\s+(\d+) kB/m.exec(pages ?? '')?.[1] ?? 0);
  return { name: programOf(command ?? ''), bytes: kilobytes * 1024 };
}

/** Returns the bytes on disk of a file or of everything in a folder. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return (found?.blocks ?? 0) * 512;
  const sizes = await Promise.all((await readdir(path).catch(() => [])).map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the program of a command line: `main.ts`, `worker.ts`, `ffmpeg`. */
function programOf(command: string): string {
  const words = command.split('\0').map((word) => basename(word));
  return words.find((word) => /^(main|worker)\.ts$|^workerProcess|^ff(mpeg|probe)$/.test(word)) ?? words[0] ?? '';
}
