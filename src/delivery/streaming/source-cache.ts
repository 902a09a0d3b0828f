import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../client.ts';
import { SingleFlight } from '../../concurrency.ts';
import type { FrameExtractor } from '../../render/frames.ts';
import { type VariantInput, variantKey } from '../../storage/cache/variant-key.ts';
import type { Variant, VariantStore } from '../../storage/cache/variant-store.ts';
import type { Originals } from '../../storage/originals.ts';
import type { RenderBudget } from '../render-budget.ts';
import type { StreamSource } from './ladder.ts';

export interface SourceContext {
  originals: Originals;
  variants: VariantStore;
  frames: Pick<FrameExtractor, 'probeVideo' | 'lengthOf'>;
  budget: RenderBudget;
  temp: string;
}

/** A name that no canonical transformation has. Increase its number when the stored properties change. */
const NAME = 'stream source 2';

export type SourceCache = ReturnType<typeof createSourceCache>;

/** Reads the properties of an original that ladders and storyboards need, once, and stores them among its variants. */
export function createSourceCache({ originals, variants, frames, budget, temp }: SourceContext) {
  const flights = new SingleFlight<StreamSource, Client>();
  const keyOf = (original: VariantInput) => variantKey({ inputs: { original }, transformation: NAME, format: 'json' });

  async function measure(original: VariantInput, signal: AbortSignal, clients: () => Client[]) {
    const { path, version } = original;
    const claim = budget.claimOf(clients);
    const examine = async (input: string): Promise<StreamSource> => {
      const probe = await frames.probeVideo({ input, signal, claim });
      const { width, height, frameRate = null, audio } = probe;
      const seconds = probe.videoDuration ?? (await frames.lengthOf(probe, { input, signal, claim }));
      return { width, height, frameRate, hasSound: audio !== undefined, seconds };
    };
    const source = await originals.store.withLocalFile(path, examine, signal, version);
    const output = join(temp, randomUUID());
    try {
      await writeFile(output, JSON.stringify(source));
      await variants.put(path, keyOf(original), 'json', output);
    } finally {
      await rm(output, { force: true });
    }
    return source;
  }

  async function known(original: VariantInput): Promise<StreamSource | undefined> {
    const key = keyOf(original);
    const cached = variants.peek(key) ?? (await variants.get(original.path, key, ['json']));
    return cached && read(cached);
  }

  return {
    /** Returns them without reading the original; undefined if unknown. */
    known,
    /**
     * @throws HttpProblem 422 for a file that is no video, 503 when overloaded or without ffmpeg, 429; BlobNotFound
     * when it was replaced
     */
    async find(original: VariantInput, signal: AbortSignal | undefined, client: Client): Promise<StreamSource> {
      const cached = await known(original);
      if (cached) return cached;
      const key = keyOf(original);
      if (!flights.has(key)) budget.admit(client);
      return flights.run(key, signal, (shared, clients) => measure(original, shared, clients), client);
    },
  };
}

/** Files written by this service are small, and in memory. */
function read({ bytes }: Variant): StreamSource | undefined {
  return bytes && JSON.parse(bytes.toString());
}
