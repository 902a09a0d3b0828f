import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Unit of CPU time in `/proc`, independent of the kernel's clock. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  pid: number;
  parent: number;
  /** CPU seconds of the process and of its ended children. */
  seconds: number;
}

/** CPU seconds of a process and all its descendants, including ended ones. */
export function cpuSeconds(root: number): number {
  const all = readAllTimes();
  const sum = (pid: number): number => {
    const own = all.find((times) => times.pid === pid)?.seconds ?? 0;
    const children = all.filter(({ parent }) => parent === pid);
    return children.reduce((total, child) => total + sum(child.pid), own);
  };
  return sum(root);
}

/** Children of a process and theirs. */
export function descendantsOf(root: number): number[] {
  const all = readAllTimes();
  const below = (pid: number): number[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child.pid, ...below(child.pid)]);
  return below(root);
}

/** Proportional set size of a process in MB: pages that processes share count once. 0 if it has ended. */
function shareOf(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024;
  } catch {
    return 0;
  }
}

/** Proportional set size of a process and all its descendants in MB. */
export function memoryOfAll(root: number): number {
  return [root, ...descendantsOf(root)].reduce((sum, pid) => sum + shareOf(pid), 0);
}

/** Resident memory of one process in MB: now, and its peak since `resetPeak`. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Kills a child when this process exits. @returns a function that ends the child and waits for its exit */
export function killOnExit(child: ChildProcess): () => Promise<void> {
  const kill = () => void child.kill('SIGTERM');
  process.once('exit', kill);
  return async () => {
    process.off('exit', kill);
    kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
}

function readAllTimes(): ProcessTimes[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readTimes(Number(pid)) ?? []);
}

/** Undefined if the process has ended. Fields as in proc_pid_stat(5); the name may contain spaces. */
function readTimes(pid: number): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number) as [
      number,
      number,
      number,
      number,
    ];
    const seconds = (user + system + childrenUser + childrenSystem) / TICKS_PER_SECOND;
    return { pid, parent: Number(fields[1]), seconds };
  } catch {
    return undefined;
  }
}
