import { LRUCache } from 'lru-cache';
import { HttpProblem } from '../../errors.ts';
import { BlobNotFound, missing } from '../../storage/blob-store.ts';
import type { Variant } from '../../storage/cache/variant-store.ts';
import type { Originals } from '../../storage/originals.ts';
import { type Fragments, readFragments } from '../../video/source/fragments.ts';
import { requestedTranscode, type TranscodeInputs, type TranscodeRequester, type Transcodes } from '../transcodes.ts';
import type { Rendition } from './ladder.ts';

/** State of the file of a rendition. */
export type RenditionFile =
  | { state: 'ready'; rendition: Rendition; fragments: Fragments }
  | { state: 'waiting'; rendition: Rendition }
  /** Its job has ended without a result. */
  | { state: 'failed'; rendition: Rendition; problem: HttpProblem }
  /** No job could be queued for it now. */
  | { state: 'refused'; rendition: Rendition; problem: HttpProblem };

/** Most segments of all heads in memory; each takes about 60 bytes. */
const MAX_SEGMENTS = 200_000;

/** A variant may be evicted after it was found, but hardly this often. */
const MAX_ATTEMPTS = 3;

const FINAL: readonly string[] = ['transcode_failed', 'transcode_cancelled'];

/** Finds the files of renditions and reads their heads. */
export function createRenditionFiles(transcodes: Transcodes, originals: Pick<Originals, 'check'>) {
  const fragmentsOf = createHeads();

  async function findReady(inputs: TranscodeInputs, rendition: Rendition): Promise<RenditionFile | undefined> {
    const variant = await transcodes.find(requestedTranscode(inputs, rendition.options));
    return variant && { state: 'ready', rendition, fragments: await fragmentsOf(variant) };
  }

  /** Finds the file, or queues it. @throws errors other than those of its job */
  async function findOrQueue(
    inputs: TranscodeInputs,
    rendition: Rendition,
    requester: TranscodeRequester,
  ): Promise<RenditionFile> {
    const requested = requestedTranscode(inputs, rendition.options);
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await transcodes.variantOrJob(requested, requester);
        if ('job' in result) return { state: 'waiting', rendition };
        return { state: 'ready', rendition, fragments: await fragmentsOf(result.variant) };
      } catch (error) {
        if (error instanceof HttpProblem) return withoutFile(rendition, error);
        if (!(error instanceof BlobNotFound) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  return {
    /**
     * Finds the files, and queues missing ones one after the other, so that the first ones are made first.
     * @throws BlobNotFound when the original was replaced
     */
    async findOrQueue(
      inputs: TranscodeInputs,
      renditions: readonly Rendition[],
      requester: TranscodeRequester,
    ): Promise<RenditionFile[]> {
      const found = await Promise.all(renditions.map((rendition) => findReady(inputs, rendition).catch(unlessEvicted)));
      const ready = found.filter((file) => file !== undefined);
      if (ready.length === renditions.length) return ready;
      // Jobs must be for the current bytes.
      if ((await originals.check(inputs.path))?.etag !== inputs.version) throw missing(inputs.path);
      const files: RenditionFile[] = [];
      for (const [n, rendition] of renditions.entries())
        files.push(found[n] ?? (await findOrQueue(inputs, rendition, requester)));
      return files;
    },
  };
}

/** Returns a function that reads the heads of files and caches them. */
function createHeads() {
  const heads = new LRUCache<string, Fragments>({
    maxSize: MAX_SEGMENTS,
    sizeCalculation: ({ segments }) => segments.length + 10,
  });
  return async (variant: Variant): Promise<Fragments> => {
    // Another node with other threads or another ffmpeg may regenerate a variant: same key, other bytes.
    const name = `${variant.key} ${variant.size}`;
    const cached = heads.get(name);
    if (cached) return cached;
    const fragments = await readFragments((bytes) => readStart(variant, bytes));
    heads.set(name, fragments);
    return fragments;
  };
}

function withoutFile(rendition: Rendition, problem: HttpProblem): RenditionFile {
  const state = FINAL.includes(problem.code) ? 'failed' : 'refused';
  return { state, rendition, problem };
}

function unlessEvicted(error: unknown): undefined {
  if (!(error instanceof BlobNotFound)) throw error;
}

async function readStart(variant: Variant, bytes: number): Promise<Buffer> {
  if (variant.bytes) return variant.bytes.subarray(0, bytes);
  const chunks: Buffer[] = [];
  const range = { start: 0, end: Math.min(bytes, variant.size) - 1 };
  for await (const chunk of (await variant.open(range)) as AsyncIterable<Buffer>) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
