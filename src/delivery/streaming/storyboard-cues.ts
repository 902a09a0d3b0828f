import { missing } from '../../storage/blob-store.ts';
import type { VariantInput } from '../../storage/cache/variant-key.ts';
import type { Originals } from '../../storage/originals.ts';
import { sheetOf } from '../../video/product.ts';
import type { VideoOptions } from '../../video/steps/index.ts';
import { planStoryboard, writeCues } from '../../video/storyboard-plan.ts';
import { requestedTranscode, type TranscodeRequester, type Transcodes } from '../transcodes.ts';
import { canonicalOf } from './ladder.ts';
import type { SourceCache } from './source-cache.ts';

interface CueContext {
  originals: Pick<Originals, 'check'>;
  transcodes: Transcodes;
  sources: SourceCache;
}

/** @param uriOf returns the URI of a transformation of the same original */
export type WriteCues = (uriOf: (segment: string) => string) => string;

/**
 * Returns the writer of a storyboard's WebVTT. It only needs the size and length of the video, but is `pending` until
 * the sheet exists, which is queued.
 * @throws HttpProblem 422, 429 and 503 as for a transcode; BlobNotFound when the original was replaced
 */
export async function findCues(
  { originals, transcodes, sources }: CueContext,
  original: VariantInput,
  options: VideoOptions,
  requester: TranscodeRequester & { signal(): AbortSignal | undefined },
): Promise<WriteCues | 'pending'> {
  const { path, version } = original;
  const sheet = sheetOf(options);
  const requested = requestedTranscode({ path, version, root: original.root }, sheet);
  if (!(await transcodes.find(requested))) {
    // The job must be for the current bytes.
    if ((await originals.check(path))?.etag !== version) throw missing(path);
    if ('job' in (await transcodes.variantOrJob(requested, requester))) return 'pending';
  }
  const plan = planStoryboard(await sources.find(original, requester.signal(), requester.client), options.width);
  return (uriOf) => writeCues(plan, uriOf(canonicalOf(sheet)));
}
