import { readdir, readFile } from 'node:fs/promises';

const { NODE_COMPILE_CACHE } = process.env;
/** Environment of processes without other variables: Node's compile cache, which halves the work of starting. */
export const COMPILED: Record<string, string> = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** Returns the children of a process, according to /proc. */
export async function childrenOf(parent: number): Promise<number[]> {
  const all = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const parents = await Promise.all(all.map(parentOf));
  return all.filter((_pid, index) => parents[index] === parent);
}

/** Returns all descendants of a process. */
export async function descendantsOf(parent: number): Promise<number[]> {
  const children = await childrenOf(parent);
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
}

/** True for a running process; false for one that only waits to be reaped. */
export async function isAlive(pid: number): Promise<boolean> {
  const state = await readStat(pid);
  return state !== undefined && state[0] !== 'Z';
}

/** Returns the command line of a process, its parts separated by NUL; empty if the process has ended. */
export function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}

/** Returns the current and the peak resident memory, in bytes. */
export async function memoryOf(pid: number): Promise<{ now: number; highest: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { now: kilobytes('VmRSS'), highest: kilobytes('VmHWM') };
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readStat(pid);
  return stat && Number(stat[1]);
}

/** Returns the fields after the name, which may contain spaces and parentheses: state, parent, ... */
async function readStat(pid: number): Promise<string[] | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return line?.slice(line.lastIndexOf(')') + 2).split(' ');
}
