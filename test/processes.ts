import { readdir, readFile } from 'node:fs/promises';

const { NODE_COMPILE_CACHE } = process.env;
/** For processes that get no other variables: Node's cache of compiled code, with which they start with half of the work. */
export const COMPILED: Record<string, string> = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** The processes that a process has started, as /proc knows them. */
export async function childrenOf(parent: number): Promise<number[]> {
  const all = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const parents = await Promise.all(all.map(parentOf));
  return all.filter((_pid, index) => parents[index] === parent);
}

/** All that a process has started, and what those have started. */
export async function descendantsOf(parent: number): Promise<number[]> {
  const children = await childrenOf(parent);
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
}

/** Whether a process is there and not only waiting to be reaped. */
export async function isAlive(pid: number): Promise<boolean> {
  const state = await readStat(pid);
  return state !== undefined && state[0] !== 'Z';
}

/** The command line of a process, its parts separated by NUL; empty when it is gone. */
export function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}

/** Resident memory now and at its highest, in bytes. */
export async function memoryOf(pid: number): Promise<{ now: number; highest: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { now: kilobytes('VmRSS'), highest: kilobytes('VmHWM') };
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readStat(pid);
  return stat && Number(stat[1]);
}

/** The fields after the name, which may itself hold spaces and parentheses: state, parent, ... */
async function readStat(pid: number): Promise<string[] | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return line?.slice(line.lastIndexOf(')') + 2).split(' ');
}
