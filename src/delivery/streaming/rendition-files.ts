import { LRUCache } from 'lru-cache';
import { HttpProblem } from '../../errors.ts';
import { BlobNotFound, missing } from '../../storage/blob-store.ts';
import type { Variant } from '../../storage/cache/variant-store.ts';
import type { Originals } from '../../storage/originals.ts';
import { type Fragments, readFragments } from '../../video/source/fragments.ts';
import {
  type FoundTranscode,
  requestedTranscode,
  type TranscodeInputs,
  type TranscodeRequester,
  type Transcodes,
} from '../transcodes.ts';
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
export function createRenditionFiles(
  transcodes: Transcodes,
  originals: Pick<Originals, 'check'>,
  fragmentsOf: FragmentsOf,
) {
  async function findReady(inputs: TranscodeInputs, rendition: Rendition): Promise<RenditionFile | undefined> {
    const variant = await transcodes.find(requestedTranscode(inputs, rendition.options));
    return variant && { state: 'ready', rendition, fragments: await fragmentsOf(variant) };
  }

  /** Queues all missing files together, the first ones first. @throws BlobNotFound when one was evicted meanwhile */
  async function queueMissing(
    inputs: TranscodeInputs,
    renditions: readonly Rendition[],
    requester: TranscodeRequester,
  ): Promise<RenditionFile[]> {
    const requested = renditions.map(({ options }) => requestedTranscode(inputs, options));
    const found = await transcodes.variantsOrJobs(requested, requester).catch((error: unknown) => {
      if (!(error instanceof HttpProblem)) throw error;
      return renditions.map(() => ({ problem: error }));
    });
    const files = renditions.map(async (rendition, n): Promise<RenditionFile> => {
      const one = found[n] as FoundTranscode;
      if ('problem' in one) return withoutFile(rendition, one.problem);
      if ('job' in one) return { state: 'waiting', rendition };
      return { state: 'ready', rendition, fragments: await fragmentsOf(one.variant) };
    });
    return Promise.all(files);
  }

  async function findOrQueue(
    inputs: TranscodeInputs,
    renditions: readonly Rendition[],
    requester: TranscodeRequester,
  ): Promise<RenditionFile[]> {
    const found = await Promise.all(renditions.map((rendition) => findReady(inputs, rendition).catch(unlessEvicted)));
    const absent = renditions.filter((_, n) => found[n] === undefined);
    if (absent.length === 0) return found as RenditionFile[];
    // Jobs must be for the current bytes.
    if ((await originals.check(inputs.path))?.etag !== inputs.version) throw missing(inputs.path);
    const queued = (await queueMissing(inputs, absent, requester)).values();
    return found.map((file) => file ?? (queued.next().value as RenditionFile));
  }

  return {
    /**
     * Finds the files, and queues missing ones.
     * @throws BlobNotFound when the original was replaced; errors other than those of a job
     */
    async findOrQueue(
      inputs: TranscodeInputs,
      renditions: readonly Rendition[],
      requester: TranscodeRequester,
    ): Promise<RenditionFile[]> {
      for (let attempt = 1; ; attempt++) {
        try {
          return await findOrQueue(inputs, renditions, requester);
        } catch (error) {
          if (!(error instanceof BlobNotFound) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    },
  };
}

/** Reads the head of the file of a rendition. */
export type FragmentsOf = (variant: Variant) => Promise<Fragments>;

/** Returns a function that reads the heads of files and caches them. */
export function createFragmentCache(): FragmentsOf {
  const heads = new LRUCache<string, Fragments>({
    maxSize: MAX_SEGMENTS,
    sizeCalculation: ({ segments }) => segments.length + 10,
  });
  return async (variant) => {
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
