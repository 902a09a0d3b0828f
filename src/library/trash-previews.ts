import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import type { TrashItem } from '../catalog/retained-rows.ts';
import { SingleFlight, Slots } from '../concurrency.ts';
import { HttpProblem, notFound, unprocessable } from '../errors.ts';
import type { RenderLimits } from '../image/limits.ts';
import { quote } from '../path.ts';
import type { FrameExtractor } from '../render/frames.ts';
import { type Claim, type RenderPool, UNCHARGED } from '../render/pool.ts';
import type { RetainedItems } from '../storage/retention-store.ts';

export interface TrashPreviewOptions {
  retention: Pick<RetainedItems, 'open'>;
  pool: Pick<RenderPool, 'run'>;
  frames: Pick<FrameExtractor, 'extract'>;
  limits: RenderLimits;
  /** Folder for temporary files. */
  temp: string;
}

/** Side of a preview, as of the tiles of the library. */
const SIDE = 320;
const MEGABYTE = 1024 * 1024;
/** A larger file is not copied for a small image. */
const MAX_SOURCE_BYTES = 64 * MEGABYTE;
/** Memory of all previews: about a thousand. */
const CACHE_BYTES = 16 * MEGABYTE;
/** What the error of an undecodable file says, without its stack and cause. */
type Refusal = Pick<HttpProblem, 'code' | 'message'>;
/** Key, entry, and the message of a refusal. */
const ENTRY_BYTES = 500;
const UNDECODABLE = 422;
/** Copies of files at the same time. */
const SLOTS = { size: 2, maxQueued: 200, maxWaitMs: 30_000, purpose: 'previews of the trash' };

/**
 * Small images of trashed files. They are cached in memory, as are refusals: an item never changes, and is gone when it
 * is restored.
 */
export class TrashPreviews {
  readonly #options: TrashPreviewOptions;
  readonly #slots = new Slots(SLOTS);
  readonly #flights = new SingleFlight<Buffer>();
  readonly #cache = new LRUCache<string, Buffer | Refusal>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (preview) => ENTRY_BYTES + (Buffer.isBuffer(preview) ? preview.length : 0),
  });

  constructor(options: TrashPreviewOptions) {
    this.#options = options;
  }

  /**
   * Returns a WebP.
   * @param item of the space of the request
   * @param space by which renders take turns; empty for the library
   * @throws HttpProblem 404 for other kinds and large files, 422 for undecodable files, 503; BlobNotFound
   */
  async read(item: TrashItem, space: string, signal: AbortSignal): Promise<Buffer> {
    const { id, path, kind, size } = item;
    const cached = this.#cache.get(id);
    if (Buffer.isBuffer(cached)) return cached;
    if (cached) throw new HttpProblem(cached.code, cached.message);
    if ((kind !== 'image' && kind !== 'video') || size > MAX_SOURCE_BYTES)
      throw notFound(`There is no preview of ${quote(path)}.`, 'not_found');
    // Whoever may read the trash is trusted with renders.
    const claim = { ...UNCHARGED, ...(space !== '' && { space }) };
    try {
      const preview = await this.#flights.run(id, signal, (shared) =>
        this.#slots.use(shared, () => this.#render(item, claim, shared)),
      );
      this.#cache.set(id, preview);
      return preview;
    } catch (error) {
      if (error instanceof HttpProblem && error.status === UNDECODABLE)
        this.#cache.set(id, { code: error.code, message: error.message });
      throw error;
    }
  }

  async #render({ id, kind }: TrashItem, claim: Claim, signal: AbortSignal): Promise<Buffer> {
    const { retention, pool, frames, limits, temp } = this.#options;
    const source = join(temp, randomUUID());
    const frame = `${source}.png`;
    const output = `${source}.webp`;
    try {
      await pipeline(await retention.open(id, { signal }), createWriteStream(source), { signal });
      if (kind === 'video') await frames.extract({ input: source, output: frame, time: 0, signal, claim });
      const request = {
        inputs: { original: kind === 'video' ? frame : source },
        output,
        options: { width: SIDE, height: SIDE, crop: 'fit' as const, quality: 70 },
        format: 'webp' as const,
        limits,
        analysis: {},
      };
      const result = await pool.run('render', request, signal, claim);
      if (result.outcome !== 'rendered') throw unprocessable(result.reason);
      return await readFile(output);
    } finally {
      await Promise.all([source, frame, output].map((file) => rm(file, { force: true })));
    }
  }
}
