import type { Bus } from '../cluster/cluster.ts';
import { cacheTag, MAX_TAGGED_FOLDERS } from '../delivery/cache-tags.ts';
import type { Log } from '../log.ts';
import { DeliveryFailure } from '../outbox/failure.ts';
import { CDN, type Message, type Outbox, type OutboxStats } from '../outbox/outbox.ts';
import { sendRequest } from '../outbox/outgoing-request.ts';
import { ROOT, type StoragePath } from '../path.ts';
import { PurgeSender } from './purge-sender.ts';
import { type PURGE_STYLES, type PurgeAddress, STYLES } from './styles.ts';

export interface PurgeSettings extends PurgeAddress {
  style: (typeof PURGE_STYLES)[number];
  /** Time for which changes are collected for one request, in ms. */
  delayMs: number;
  retryMax: number;
  retryDelayMs: number;
  /** Maximum number of pending changes; beyond it everything is purged. */
  maxWaiting: number;
}

export interface PurgesOptions {
  settings: PurgeSettings;
  outbox: Outbox;
  bus: Bus;
  log: Log;
}

/** Kind of a path. */
export type Kind = 'file' | 'folder' | 'either';

/**
 * Invalidates the variants of changed originals in a CDN. A change is recorded before it begins: a process that dies at
 * any moment leaves at worst a superfluous purge.
 */
export class Purges {
  readonly #outbox: Outbox;
  readonly #sender: PurgeSender;
  /** Duration in ms from which a change adds its purge again, as the first could have been sent before its end. */
  readonly #promptMs: number;

  constructor({ settings, ...rest }: PurgesOptions) {
    const { style, url, token, ...sending } = settings;
    const { maxTags } = STYLES[style];
    this.#outbox = rest.outbox;
    const send = (messages: readonly Message[], signal: AbortSignal) => sendPurge(messages, settings, signal);
    this.#sender = new PurgeSender({ ...rest, ...sending, batchSize: maxTags, send });
    // A purge waits for half of the delay. The other half of that is for the other nodes, which would send the CDN
    // their cached variants.
    this.#promptMs = settings.delayMs / 4;
  }

  start(): void {
    this.#sender.start();
  }

  stop(deadline: AbortSignal): Promise<void> {
    return this.#sender.stop(deadline);
  }

  /** Returns the purges of all nodes that the CDN has not received. */
  stats(): Promise<OutboxStats> {
    return this.#outbox.stats(CDN);
  }

  /** Number of requests of this node that the CDN has received, and that failed. */
  get requests(): Readonly<Record<'received' | 'failed', number>> {
    return this.#sender.attempts;
  }

  /**
   * Runs a change that invalidates the variants of a file, or of the files in a folder.
   * @throws HttpProblem 503 when it cannot be recorded, before the change; and any error of the change
   */
  async during<T>(path: StoragePath, kind: Kind, change: () => Promise<T>): Promise<T> {
    await this.add(path, kind);
    const writtenAt = performance.now();
    try {
      return await change();
    } finally {
      if (performance.now() - writtenAt > this.#promptMs) await this.add(path, kind);
    }
  }

  /** Invalidates the variants of a file, or of the files in a folder. @throws HttpProblem 503 */
  async add(path: StoragePath, kind: Kind): Promise<void> {
    const tagged = kind === 'file' ? path : taggedFolder(path);
    const paths = kind === 'either' ? [...new Set([path, tagged])] : [tagged];
    if (tagged !== ROOT && (await this.#sender.add(paths))) return;
    await this.#sender.replace(ROOT);
  }
}

async function sendPurge(messages: readonly Message[], settings: PurgeSettings, signal: AbortSignal): Promise<void> {
  const { request, isDone = () => true } = STYLES[settings.style];
  const paths = [...new Set(messages.map(({ payload }) => payload as StoragePath))];
  // Everything has the tag of the root.
  const purged = paths.includes(ROOT) ? [ROOT] : paths;
  const purge = { paths: purged, tags: purged.map(cacheTag) };
  const secrets = settings.token === undefined ? [] : [settings.token];
  const answer = await sendRequest(request(purge, settings), { secrets, signal });
  if (!isDone(answer)) throw new DeliveryFailure('the answer does not say that it was done');
}

/** Returns the folder itself, or the nearest one above it that has a tag. */
function taggedFolder(path: StoragePath): StoragePath {
  return path.split('/').slice(0, MAX_TAGGED_FOLDERS).join('/') as StoragePath;
}
