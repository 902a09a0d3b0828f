import type { BlobStore } from '../storage/blob-store.ts';
import { TempBudget } from '../storage/temp-budget.ts';
import type { HasBytes } from './existing.ts';
import { type ResumableOptions, ResumableUploads } from './resumable/resumable-uploads.ts';
import { checkAnnounced, type Uploading, uploadFiles } from './upload.ts';

export interface UploadSettings {
  data: {
    /** Folder of resumable uploads. */
    uploads: string;
  };
  upload: {
    maxFileBytes: number;
    minBytesPerSecond: number;
    /** Temporary bytes of all uploads, and of those of one client. */
    maxTempBytes: number;
    maxTempBytesPerClient: number;
    resumable: Omit<ResumableOptions['limits'], 'maxFileBytes' | 'minBytesPerSecond'>;
  };
  limits: Uploading['limits'] & Uploading['rules'];
  http: { deliveryMode: Uploading['deliveryMode']; publicUrl: string | undefined };
}

export interface UploadParts extends Pick<Uploading, 'library' | 'pool' | 'budget' | 'deliver' | 'temp' | 'log'> {
  hasBytes: HasBytes;
  store: BlobStore;
}

/** Creates the dependencies of every upload, and resumable uploads. */
export async function openUploads(
  { data, upload, limits, http }: UploadSettings,
  { library, hasBytes, store, pool, budget, deliver, temp, log }: UploadParts,
) {
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
  const { maxFileBytes, minBytesPerSecond } = upload;
  const tempBudget = new TempBudget({
    max: upload.maxTempBytes,
    maxPerClient: upload.maxTempBytesPerClient,
    fileBytes: maxFileBytes,
  });
  const resumable = await ResumableUploads.open({
    folder: data.uploads,
    budget: tempBudget,
    store,
    hasBytes,
    library,
    log,
    limits: { ...upload.resumable, maxFileBytes, minBytesPerSecond },
    check: (request) => checkAnnounced(request, limits),
    storeFile: (request, libraryOfUpload) => uploadFiles({ ...uploading, library: libraryOfUpload }, request),
  });
  return { uploading, tempBudget, resumable };
}
