import type { Log } from '../../log.ts';

/** The window of a client as this node knows it. */
export interface CountedWindow {
  used: number;
  /** In ms of `performance.now`. */
  endsAt: number;
}

/** The store where nodes add up their counts, such as `db/request-windows`. */
export interface RequestWindows {
  add(
    counted: readonly { client: string; count: number }[],
  ): Promise<{ client: string; count: number; leftMs: number }[]>;
  tidy(): Promise<void>;
}

export interface SharedWindowsOptions {
  windows: RequestWindows;
  /** Interval for adding up the counts, in ms. */
  intervalMs: number;
  log: Log;
}

interface Unsent<Window> {
  window: Window;
  count: number;
}

/** Share of its limit that a client may use on one node before the nodes have to add up. */
const SHARE = 0.2;

/**
 * Maximum of clients whose counts wait to be sent. Further ones are counted by each node alone, until the next
 * interval.
 */
const MAX_UNSENT = 20_000;

const TIDY_INTERVAL_MS = 60_000;

/**
 * Lets several nodes count a client's requests together. Each node counts by itself, sends its counts every half
 * second, and takes over the sum of all; so a cached image waits for nothing. A client that uses a fifth of its limit
 * within an interval waits until the nodes have added up, and exceeds its limit by a fifth per node at most. When they
 * cannot add up, each counts alone.
 */
export class SharedWindows<Window extends CountedWindow> {
  readonly #options: SharedWindowsOptions;
  #unsent = new Map<string, Unsent<Window>>();
  /** Counts that are being sent. */
  #sent: ReadonlyMap<string, Unsent<Window>> = new Map();
  readonly #timer: NodeJS.Timeout;
  #adding: Promise<void> | undefined;
  #isOutOfTouch = false;
  #tidiedAt = performance.now();

  constructor(options: SharedWindowsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#add(), options.intervalMs).unref();
  }

  /** Records one request that was counted in the window. */
  note(client: string, window: Window): void {
    const unsent = this.#unsent.get(client);
    if (unsent?.window === window) unsent.count++;
    else if (unsent || this.#unsent.size < MAX_UNSENT) this.#unsent.set(client, { window, count: 1 });
  }

  /**
   * The promise that a client's next request awaits before it calls again; undefined when it need not wait.
   * @param max the client's limit
   */
  waitFor(client: string, max: number): Promise<void> | undefined {
    if (this.#isOutOfTouch) return undefined;
    const count = (this.#unsent.get(client)?.count ?? 0) + (this.#sent.get(client)?.count ?? 0);
    if (count < Math.max(1, Math.floor(max * SHARE))) return undefined;
    return this.#add();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #add(): Promise<void> {
    this.#adding ??= this.#addNow().finally(() => {
      this.#adding = undefined;
    });
    return this.#adding;
  }

  async #addNow(): Promise<void> {
    const { windows, log } = this.#options;
    const sent = this.#unsent;
    this.#unsent = new Map();
    this.#sent = sent;
    try {
      if (sent.size > 0)
        this.#adopt(sent, await windows.add([...sent].map(([client, { count }]) => ({ client, count }))));
      else if (this.#isOutOfTouch) await windows.add([]);
      this.#isOutOfTouch = false;
      await this.#tidy();
    } catch (err) {
      // Counts that were not sent are lost to the other nodes; the windows of this node include them.
      if (!this.#isOutOfTouch) log.warn({ err }, 'the requests of clients are counted by each node on its own for now');
      this.#isOutOfTouch = true;
    } finally {
      this.#sent = new Map();
    }
  }

  #adopt(sent: ReadonlyMap<string, Unsent<Window>>, totals: Awaited<ReturnType<RequestWindows['add']>>): void {
    const now = performance.now();
    for (const { client, count, leftMs } of totals) {
      const window = sent.get(client)?.window;
      if (!window) continue;
      const since = this.#unsent.get(client);
      window.used = count + (since?.window === window ? since.count : 0);
      window.endsAt = now + leftMs;
    }
  }

  async #tidy(): Promise<void> {
    if (performance.now() - this.#tidiedAt < TIDY_INTERVAL_MS) return;
    this.#tidiedAt = performance.now();
    await this.#options.windows.tidy();
  }
}
