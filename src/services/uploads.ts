import type { Config } from '../config.ts';
import type { HasBytes } from '../library/existing.ts';
import { ResumableUploads } from '../library/resumable/resumable-uploads.ts';
import { checkAnnounced, type Uploading, uploadFiles } from '../library/upload.ts';
import type { Originals } from '../storage/originals.ts';
import { TempBudget } from '../storage/temp-budget.ts';

export interface UploadParts extends Pick<Uploading, 'library' | 'pool' | 'budget' | 'deliver' | 'temp' | 'log'> {
  originals: Originals;
  hasBytes: HasBytes;
}

/** Creates the dependencies of every upload, and resumable uploads. */
export async function openUploads({ data, upload, limits, http }: Config, parts: UploadParts) {
  const { originals, library, hasBytes, pool, budget, deliver, temp, log } = parts;
  const uploading: Uploading = {
    library,
    pool,
    budget,
    deliver,
    temp,
    log,
    limits,
    rules: limits,
    deliveryMode: http.deliveryMode,
    publicUrl: http.publicUrl ?? '',
  };
  const tempBudget = new TempBudget({
    max: upload.maxTempBytes,
    maxPerClient: upload.maxTempBytesPerClient,
    fileBytes: upload.maxFileBytes,
  });
  const resumable = await ResumableUploads.open({
    folder: data.uploads,
    budget: tempBudget,
    store: originals.store,
    hasBytes,
    library,
    log,
    limits: { ...upload.resumable, maxFileBytes: upload.maxFileBytes, minBytesPerSecond: upload.minBytesPerSecond },
    check: (request) => checkAnnounced(request, limits),
    storeFile: (request, library) => uploadFiles({ ...uploading, library }, request),
  });
  return { uploading, tempBudget, resumable };
}
