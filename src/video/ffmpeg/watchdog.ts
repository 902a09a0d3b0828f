import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { EncoderOverLimit } from '../limits.ts';
import { FfmpegStalled } from './errors.ts';

/** Limits of a program; times in ms. */
export interface Bounds {
  /** Resident memory in bytes. Only enforced on systems with `/proc`, such as Linux. */
  memoryBytes?: number | undefined;
  timeoutMs?: number | undefined;
  /** Longest time without progress. */
  stallMs?: number | undefined;
}

/** Short enough to limit how far a program can exceed its memory limit unnoticed. */
const MEMORY_INTERVAL_MS = 50;
/** Longest delay of a Node timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Kills a program that exceeds a limit, and stores the reason. */
export class Watchdog {
  readonly #child: ChildProcess;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #stall: NodeJS.Timeout | undefined;
  #verdict: Error | undefined;

  constructor(child: ChildProcess, { memoryBytes, timeoutMs, stallMs }: Bounds) {
    this.#child = child;
    this.#stall = this.#killIn(stallMs, () => new FfmpegStalled(stallMs ?? 0));
    this.#killIn(timeoutMs, () => tookTooLong(timeoutMs ?? 0));
    if (memoryBytes !== undefined) {
      this.#timers.push(setInterval(() => void this.#weigh(memoryBytes), MEMORY_INTERVAL_MS));
    }
  }

  /** Reason for the kill; undefined if this watchdog did not kill the program. */
  get verdict(): Error | undefined {
    return this.#verdict;
  }

  /** Resets the stall timer. */
  sawProgress(): void {
    this.#stall?.refresh();
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #weigh(maxBytes: number): Promise<void> {
    if ((await residentBytes(this.#child.pid)) <= maxBytes) return;
    const message = `Processing this file needs more than ${maxBytes / 1024 / 1024} MB of memory (VIDEO_MEMORY_MB).`;
    this.#kill(new EncoderOverLimit(message));
  }

  #killIn(delayMs: number | undefined, verdict: () => Error): NodeJS.Timeout | undefined {
    if (delayMs === undefined) return undefined;
    const timer = setTimeout(() => this.#kill(verdict()), Math.min(delayMs, LONGEST_TIMER_MS));
    this.#timers.push(timer);
    return timer;
  }

  #kill(verdict: Error): void {
    this.#verdict ??= verdict;
    this.#child.kill('SIGKILL');
  }
}

function tookTooLong(timeoutMs: number): Error {
  const seconds = Math.round(timeoutMs / 100) / 10;
  const limit = 'the limit for a file of this length (VIDEO_TIMEOUT_MS for each minute of it)';
  return new EncoderOverLimit(`The transcode took longer than ${seconds} s, ${limit}.`);
}

/** Returns the resident memory of a process in bytes; 0 if it has ended or the system does not say. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
