import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../../concurrency.ts';
import type { StoragePath } from '../../path.ts';
import type { Client } from '../../render/fair-queue.ts';
import type { FrameExtractor } from '../../render/frames.ts';
import { variantKey } from '../../storage/cache/variant-key.ts';
import type { Variant, VariantStore } from '../../storage/cache/variant-store.ts';
import type { Originals } from '../../storage/originals.ts';
import type { RenderBudget } from '../render-budget.ts';
import type { StreamSource } from './ladder.ts';

export interface SourceKeeping {
  originals: Originals;
  variants: VariantStore;
  frames: Pick<FrameExtractor, 'probeVideo'>;
  budget: RenderBudget;
  temp: string;
}

/** An original in one version. */
export interface VersionedOriginal {
  path: StoragePath;
  version: string;
}

/** A name that no canonical text of a transformation has. Its number is raised when something else is kept than before. */
const NAME = 'stream source 1';

export type KeptSources = ReturnType<typeof createKeptSources>;

/** Knows what a ladder has to know of an original. It is looked at once, and what was found is kept among its variants. */
export function createKeptSources({ originals, variants, frames, budget, temp }: SourceKeeping) {
  const flights = new SingleFlight<StreamSource, Client>();
  const keyOf = (original: VersionedOriginal) =>
    variantKey({ inputs: { original }, transformation: NAME, format: 'json' });

  async function look({ path, version }: VersionedOriginal, signal: AbortSignal, clients: () => Client[]) {
    const claim = budget.claimOf(clients);
    const probe = await originals.store.withLocalFile(
      path,
      (input) => frames.probeVideo({ input, signal, claim }),
      signal,
      version,
    );
    const { width, height, frameRate = null, audio } = probe;
    const source: StreamSource = { width, height, frameRate, hasSound: audio !== undefined };
    const output = join(temp, randomUUID());
    try {
      await writeFile(output, JSON.stringify(source));
      await variants.put(path, keyOf({ path, version }), 'json', output);
    } finally {
      await rm(output, { force: true });
    }
    return source;
  }

  async function known(original: VersionedOriginal): Promise<StreamSource | undefined> {
    const key = keyOf(original);
    const kept = variants.peek(key) ?? (await variants.get(original.path, key, ['json']));
    return kept && read(kept);
  }

  return {
    /** What is known of it without a look. */
    known,
    /** @throws HttpProblem 422 for what is no video, 503 when overloaded or without ffmpeg, 429; BlobNotFound when it was replaced */
    async find(original: VersionedOriginal, signal: AbortSignal | undefined, client: Client): Promise<StreamSource> {
      const kept = await known(original);
      if (kept) return kept;
      const key = keyOf(original);
      if (!flights.has(key)) budget.admit(client);
      return flights.run(key, signal, (shared, clients) => look(original, shared, clients), client);
    },
  };
}

/** What this service has written itself has few bytes, which are in memory. */
function read({ bytes }: Variant): StreamSource | undefined {
  return bytes && JSON.parse(bytes.toString());
}
