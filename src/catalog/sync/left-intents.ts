import type { Cluster } from '../../cluster/cluster.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { RESTORE, TRASH } from '../kept-rows.ts';
import type { Corrections } from './corrections.ts';
import type { Repair } from './repair.ts';

export interface LeftIntentsOptions extends Pick<Cluster, 'node' | 'isAlive'> {
  rows: CatalogStore;
  repair: Repair;
  corrections: Corrections;
  /** How often it is looked for nodes that have ended, in milliseconds. */
  lookMs?: number;
}

const LOOK_MS = 60_000;

/** Makes up for changes that were begun and not ended: those of this process that failed, and those of processes that are gone. */
export class LeftIntents {
  readonly #options: LeftIntentsOptions;
  /** Who was gone at the last look. */
  #missed: ReadonlySet<string> = new Set();
  #looking: NodeJS.Timeout | undefined;
  readonly #tried = Promise.withResolvers<void>();

  constructor(options: LeftIntentsOptions) {
    this.#options = options;
  }

  /** @returns when what was left before this process began has been tried once, or when it is closed */
  async start(): Promise<void> {
    const { corrections, lookMs = LOOK_MS } = this.#options;
    this.#looking = setInterval(() => corrections.add('left intents', () => this.#look(false)), lookMs).unref();
    corrections.add('left intents', async () => {
      await this.#look(true);
      // One after another: its turn comes when all that were found have had theirs.
      corrections.add('left intents were tried', async () => this.#tried.resolve());
    });
    await this.#tried.promise;
  }

  /** One of this process. */
  add(id: string): void {
    const { corrections, rows, repair } = this.#options;
    corrections.add(`intent ${id}`, async () => {
      const left = (await rows.intents.list()).find((intent) => intent.id === id);
      if (left) await repair.intent(left);
    });
  }

  close(): void {
    clearInterval(this.#looking);
    this.#tried.resolve();
  }

  /** Whoever has lost touch for a moment is back by the next look; who was gone before this process began is gone. */
  async #look(isFirst: boolean): Promise<void> {
    const { node, isAlive, rows } = this.#options;
    // The trash makes up for its own.
    const intents = (await rows.intents.list()).filter(({ kind }) => kind !== TRASH && kind !== RESTORE);
    const gone = new Set<string>();
    for (const name of new Set(intents.map((intent) => intent.node)))
      if (name !== node && !(await isAlive(name).catch(() => true))) gone.add(name);
    for (const { id, node: name } of intents) if (gone.has(name) && (isFirst || this.#missed.has(name))) this.add(id);
    this.#missed = gone;
  }
}
