import type { ServiceProcess } from '../process/service-process.ts';
import { childrenOf, memoryOf } from '../processes.ts';
import type { FuzzReport } from './run.ts';

/** Timeout that counts as a hang: the service itself times out earlier. */
const TIMEOUT_MS = 60_000;
const MEGABYTE = 1024 * 1024;

/** Requests a service, and records its times, its memory and its warnings. */
export class Watch {
  /** Incorrect responses, with the input that reproduces each. */
  readonly problems: string[] = [];
  readonly #service: ServiceProcess;
  #slowest = 0;
  #workerPeak = 0;

  constructor(service: ServiceProcess) {
    this.#service = service;
  }

  /**
   * @param origin input that reproduces the request
   * @returns undefined without a response, which is a problem
   */
  async fetch(path: string, origin: string, init: RequestInit = {}) {
    const start = performance.now();
    try {
      const response = await fetch(this.#service.url + path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
      const body = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: response.headers, body };
    } catch (error) {
      this.problems.push(`${origin}: ${path}: no answer after ${Math.round(performance.now() - start)} ms (${error})`);
      return undefined;
    } finally {
      this.#slowest = Math.max(this.#slowest, performance.now() - start);
    }
  }

  async lookAtWorkers(): Promise<void> {
    for (const pid of await childrenOf(this.#service.pid)) {
      const { highest } = await memoryOf(pid).catch(() => ({ highest: 0 }));
      this.#workerPeak = Math.max(this.#workerPeak, highest || 0);
    }
  }

  async report(): Promise<Required<FuzzReport>> {
    const { now, highest } = await memoryOf(this.#service.pid);
    const errors = this.#service.stdout().match(/"level":(50|60).*/g) ?? [];
    const megabytes = (bytes: number) => `${Math.round(bytes / MEGABYTE)} MB`;
    return {
      lines: [
        `slowest answer ${Math.round(this.#slowest)} ms`,
        `memory of the service ${megabytes(now)}, at most ${megabytes(highest)}; of a worker at most ${megabytes(this.#workerPeak)}`,
      ],
      problems: [...this.problems, ...errors.map((line) => `log: ${line.slice(0, 400)}`)],
      peakBytes: { service: highest, worker: this.#workerPeak },
    };
  }
}
