import type { Cluster } from '../../cluster/cluster.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { COPY_GRACE_MS, type Intent, type IntentKind } from '../records.ts';
import type { Corrections } from './corrections.ts';

/**
 * Completes or undoes one unfinished change, and finishes its intent. An unfinished intent is retried
 * at a later check. Running it twice does no harm.
 */
export type Recover = (intent: Intent) => Promise<void>;

export type RecoveryTable = Readonly<Record<IntentKind, Recover>>;

export interface RecoveryOptions extends Pick<Cluster, 'node' | 'isAlive'> {
  intents: Pick<CatalogStore['intents'], 'find' | 'list' | 'claim'>;
  table: Partial<RecoveryTable>;
  corrections: Corrections;
  /** Ends it. */
  signal: AbortSignal;
  /** Interval of the checks for nodes that have ended, in ms. */
  checkMs?: number;
}

const CHECK_MS = 60_000;

/** Recovers unfinished intents: those of this process that failed, and all of processes that have ended. */
export class Recovery {
  readonly #options: RecoveryOptions;
  /** Nodes that were not alive at the last check. */
  #missed: ReadonlySet<string> = new Set();
  /** Nodes of the intents that were found and are not recovered yet, by id. */
  readonly #waiting = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /**
   * Recovers the intents of ended processes. Resolves when each was tried once; failed ones are retried in the
   * background.
   */
  async start(): Promise<void> {
    const { corrections, signal, checkMs = CHECK_MS } = this.#options;
    const check = (isFirst: boolean) =>
      corrections.add('unfinished intents', async () => {
        for (const { id, node } of await this.#findLeft(isFirst)) this.#waiting.set(id, node);
        this.#retryAll();
      });
    try {
      await this.#tryAll();
    } catch {
      check(true);
    }
    if (signal.aborted) return;
    this.#retryAll();
    this.#timer = setInterval(() => check(false), checkMs).unref();
  }

  /** Recovers the intents of some kinds, once, before `start`. @throws when the intents cannot be read */
  async startWith(kinds: readonly IntentKind[]): Promise<void> {
    await this.#tryAll(kinds);
  }

  /** Recovers an intent of this process in the background. If the queue is full, a later check adds it again. */
  add(id: string): void {
    this.#waiting.set(id, this.#options.node);
    this.#retry(id);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #retryAll(): void {
    for (const id of this.#waiting.keys()) this.#retry(id);
  }

  #retry(id: string): void {
    this.#options.corrections.add(`intent ${id}`, () => this.#recover(id));
  }

  async #tryAll(kinds?: readonly IntentKind[]): Promise<void> {
    for (const { id, node } of await this.#findLeft(true, kinds)) {
      if (this.#options.signal.aborted) return;
      this.#waiting.set(id, node);
      await this.#recover(id).catch(() => undefined);
    }
  }

  async #recover(id: string): Promise<void> {
    const { table, node } = this.#options;
    const intent = await this.#claim(id);
    if (intent) {
      this.#waiting.set(id, node);
      await table[intent.kind]?.(intent);
    }
    this.#waiting.delete(id);
  }

  /** Returns an intent that this node is to recover; undefined if it is finished, or another node recovers it. */
  async #claim(id: string): Promise<Intent | undefined> {
    const { intents, node } = this.#options;
    const intent = await intents.find(id);
    if (!intent || intent.node === node) return intent;
    const isClaimed = intent.node === this.#waiting.get(id) && (await intents.claim(intent, node));
    return isClaimed ? { ...intent, node } : undefined;
  }

  /**
   * Intents of nodes that missed two checks: a node may lose contact for a moment. At the first check, one is enough.
   */
  async #findLeft(isFirst: boolean, kinds?: readonly IntentKind[]): Promise<Intent[]> {
    const { node, isAlive, intents } = this.#options;
    const unfinished = await intents.list(kinds);
    const gone = new Set<string>();
    for (const name of new Set(unfinished.map((intent) => intent.node)))
      if (name !== node && !(await isAlive(name).catch(() => true))) gone.add(name);
    const left = unfinished.filter(
      (intent) => gone.has(intent.node) && (isFirst || this.#missed.has(intent.node)) && !isInGrace(intent),
    );
    this.#missed = gone;
    return left;
  }
}

/** True for a copy that its node, of a version without claims, may still be about to use. */
const isInGrace = ({ kind, createdAt }: Intent) => kind === 'version' && Date.now() - createdAt < COPY_GRACE_MS;
