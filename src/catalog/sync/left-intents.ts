import type { Cluster } from '../../cluster/cluster.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { RESTORE, TRASH } from '../kept-rows.ts';
import type { Corrections } from './corrections.ts';
import type { Repair } from './repair.ts';

export interface LeftIntentsOptions extends Pick<Cluster, 'node' | 'isAlive'> {
  rows: CatalogStore;
  repair: Repair;
  corrections: Corrections;
  /** Ends it. */
  signal: AbortSignal;
  /** How often it is looked for nodes that have ended, in milliseconds. */
  lookMs?: number;
}

const LOOK_MS = 60_000;

/** Makes up for changes that were begun and not ended: those of this process that failed, and those of processes that are gone. */
export class LeftIntents {
  readonly #options: LeftIntentsOptions;
  /** Who was gone at the last look. */
  #missed: ReadonlySet<string> = new Set();
  /** Those that were not made up for yet. */
  readonly #waiting = new Set<string>();
  #looking: NodeJS.Timeout | undefined;

  constructor(options: LeftIntentsOptions) {
    this.#options = options;
  }

  /** @returns when all that was left before this process began has been tried once. What fails is tried again in the background. */
  async start(): Promise<void> {
    const { corrections, signal, lookMs = LOOK_MS } = this.#options;
    const look = (isFirst: boolean) =>
      corrections.add('left intents', async () => {
        for (const id of [...(await this.#look(isFirst)), ...this.#waiting]) this.add(id);
      });
    try {
      for (const id of await this.#look(true)) {
        if (signal.aborted) return;
        await this.#makeUp(id).catch(() => this.#waiting.add(id));
      }
    } catch {
      look(true);
    }
    if (signal.aborted) return;
    for (const id of this.#waiting) this.add(id);
    this.#looking = setInterval(() => look(false), lookMs).unref();
  }

  /** One that is left. When too much waits to be corrected, its turn comes after a later look. */
  add(id: string): void {
    this.#waiting.add(id);
    this.#options.corrections.add(`intent ${id}`, () => this.#makeUp(id));
  }

  close(): void {
    clearInterval(this.#looking);
  }

  async #makeUp(id: string): Promise<void> {
    const { rows, repair } = this.#options;
    const left = (await rows.intents.list()).find((intent) => intent.id === id);
    if (left) await repair.intent(left);
    this.#waiting.delete(id);
  }

  /** Whoever has lost touch for a moment is back by the next look; who was gone before this process began is gone. */
  async #look(isFirst: boolean): Promise<string[]> {
    const { node, isAlive, rows } = this.#options;
    // The trash makes up for its own.
    const intents = (await rows.intents.list()).filter(({ kind }) => kind !== TRASH && kind !== RESTORE);
    const gone = new Set<string>();
    for (const name of new Set(intents.map((intent) => intent.node)))
      if (name !== node && !(await isAlive(name).catch(() => true))) gone.add(name);
    const left = intents.filter(({ node: name }) => gone.has(name) && (isFirst || this.#missed.has(name)));
    this.#missed = gone;
    return left.map(({ id }) => id);
  }
}
