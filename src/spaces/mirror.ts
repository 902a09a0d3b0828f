import { z } from 'zod';
import { createRetryingTask } from '../cluster/retrying-task.ts';
import { parseJson } from '../json.ts';
import { FailureLog, type Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import type { SharedText } from '../storage/backend.ts';
import type { SpaceRegistry } from './registry.ts';
import { LIBRARY, type Space, type SpaceRules } from './space.ts';

export interface MirrorOptions {
  text: SharedText;
  registry: SpaceRegistry;
  /** Reads all spaces from the database. */
  read(): Promise<Space[]>;
  /** True while this node is notified of changes by other nodes. */
  isConnected(): boolean;
  log: Log;
  /** Interval of readings while it is not, in ms. */
  intervalMs?: number;
}

export type Mirror = ReturnType<typeof createMirror>;

const INTERVAL_MS = 5000;
const RETRY_MS = 1000;

/** Other nodes may change spaces while this one writes. */
const MAX_WRITES = 5;

const mirrored = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    folder: z.string(),
    isEnabled: z.boolean(),
    hosts: z.array(z.string()),
    rules: z.record(z.string(), z.unknown()),
  }),
);

/**
 * Keeps a copy of all spaces, without their secrets, beside the originals: a node that does not reach the database
 * delivers images, and must not deliver what rules withhold. The copy is written before a change is acknowledged. It is
 * read at a start without the database, and while this node may miss changes of other nodes.
 */
export function createMirror({ text, registry, read, isConnected, log, intervalMs = INTERVAL_MS }: MirrorOptions) {
  /** Number of times that the database has been read. */
  let readings = 0;
  let last: Promise<unknown> = Promise.resolve();
  const reads = new FailureLog(log, {
    fails: 'the copy of the spaces in the bucket cannot be read',
    works: 'the copy of the spaces in the bucket can be read again',
  });
  const writes = new FailureLog(log, {
    fails: 'the copy of the spaces in the bucket cannot be written',
    works: 'the copy of the spaces in the bucket can be written again',
  });
  const timer = setInterval(() => void follow(), intervalMs).unref();

  /** Readings and writes of the copy follow one another. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  async function write(): Promise<void> {
    for (let n = 0; n < MAX_WRITES; n++) {
      const written = mirrorOf(await read());
      await text.write(written);
      // Two nodes may write in another order than they changed spaces: the later one finds out here.
      if (mirrorOf(await read()) === written) return;
    }
  }

  /** Writes the copy again if that has failed, or if a node has ended before it could. */
  async function repair(): Promise<void> {
    const stored = await text.read();
    const present = mirrorOf(await read());
    if (stored !== present && (stored !== undefined || present !== NO_SPACES)) await write();
  }

  const repairing = createRetryingTask({
    run: () => inTurn(repair).then(() => writes.succeeded()),
    retryMs: RETRY_MS,
    onFailure: (error) => writes.failed(error),
  });

  /** Applies the copy, unless the database is read meanwhile. @param isNeeded false where this node need not do so */
  function adopt(isNeeded: () => boolean): Promise<void> {
    const before = readings;
    return inTurn(async () => {
      const stored = await text.read();
      // Without a copy, the known rules stay.
      if (stored === undefined || readings !== before || !isNeeded()) return;
      registry.replace(spacesOf(stored).map((space) => withKnownSecrets(space, registry)));
    });
  }

  async function follow(): Promise<void> {
    if (isConnected()) return;
    await reads.attempt(() => adopt(() => !isConnected()));
  }

  return {
    /** Notes that the database was read, whose answer is later than any copy that is being read. */
    noteReading(): void {
      readings++;
    },
    /**
     * Reads the copy, unless the database was read before.
     * @throws Error for a damaged copy: what it withholds is unknown
     */
    async start(): Promise<void> {
      if (readings === 0) await adopt(() => true);
      else void repairing.start();
    },
    /** Writes the spaces of the database. After a failure it is tried again in the background. */
    async write(): Promise<void> {
      try {
        await inTurn(write);
      } catch (error) {
        void repairing.start();
        throw error;
      }
    },
    close(): void {
      clearInterval(timer);
      repairing.stop();
    },
  };
}

/** Writes spaces as text, without their secrets. */
export function mirrorOf(spaces: readonly Space[]): string {
  const kept = spaces.map(({ id, name, folder, isEnabled, hosts, rules }) => ({
    id,
    name,
    folder,
    isEnabled,
    hosts,
    rules,
  }));
  return JSON.stringify(kept);
}

const NO_SPACES = mirrorOf([]);

/** Reads spaces whose secrets are unknown. @throws Error for a damaged text */
export function spacesOf(text: string): Space[] {
  const spaces = mirrored.parse(parseJson(text));
  return spaces.map(({ folder, rules, ...space }) => ({
    ...space,
    folder: folder as StoragePath,
    rules: rules as SpaceRules,
    secret: undefined,
    previousSecret: undefined,
    createdAt: undefined,
  }));
}

/** A node that loses the database goes on verifying signatures. */
function withKnownSecrets(space: Space, registry: SpaceRegistry): Space {
  const known = space.id === LIBRARY ? registry.library() : registry.find(space.id);
  if (!known) return space;
  const { secret, previousSecret, createdAt } = known;
  return { ...space, secret, previousSecret, createdAt };
}
