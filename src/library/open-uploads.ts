import type { BlobStore } from '../storage/blob-store.ts';
import { TempBudget } from '../storage/temp-budget.ts';
import type { HasBytes } from './existing.ts';
import { type ResumableOptions, ResumableUploads, type UploadStorage } from './resumable/resumable-uploads.ts';
import { checkAnnounced, requireQuotaFor, type Uploading, uploadFiles } from './upload.ts';

export interface UploadSettings {
  data: {
    /** Folder of resumable uploads. */
    uploads: string;
  };
  upload: {
    types: Uploading['types'];
    maxFileBytes: number;
    maxFileSetting: string;
    minBytesPerSecond: number;
    /** Temporary bytes of all uploads, and of those of one client. */
    maxTempBytes: number;
    maxTempBytesPerClient: number;
    resumable: Omit<ResumableOptions['limits'], 'maxFileBytes' | 'minBytesPerSecond'>;
  };
  limits: Uploading['limits'] & Uploading['rules'];
  http: { deliveryMode: Uploading['deliveryMode']; linkBase: string };
}

export interface UploadParts
  extends Pick<
    Uploading,
    'library' | 'pool' | 'budget' | 'deliver' | 'deliveryRules' | 'requireQuota' | 'temp' | 'log'
  > {
  hasBytes: HasBytes;
  store: BlobStore;
  storageOf?: ResumableOptions['storageOf'];
  onConcluded?: ResumableOptions['onConcluded'];
}

/** Returns the services that store resumable uploads, of the library or of a space. */
export function uploadStorageOf(
  uploading: Uploading,
  { store, hasBytes }: Pick<UploadParts, 'store' | 'hasBytes'>,
): UploadStorage {
  return {
    library: uploading.library,
    store,
    hasBytes,
    maxFileBytes: uploading.maxFileBytes,
    maxFileSetting: uploading.maxFileSetting,
    requireQuota: (request, bytes) => requireQuotaFor(uploading, request, bytes),
    check: (request) => checkAnnounced(request, uploading),
    storeFile: (request, library) => uploadFiles({ ...uploading, library }, request),
  };
}

/** Creates the dependencies of every upload, of the library or of a space. */
export function createUploading(
  { upload, limits, http }: Pick<UploadSettings, 'upload' | 'limits' | 'http'>,
  parts: Omit<UploadParts, 'hasBytes' | 'store' | 'storageOf'>,
): Uploading {
  return {
    requireQuota: parts.requireQuota,
    library: parts.library,
    pool: parts.pool,
    budget: parts.budget,
    deliver: parts.deliver,
    deliveryRules: parts.deliveryRules,
    temp: parts.temp,
    log: parts.log,
    limits,
    rules: limits,
    types: upload.types,
    maxFileBytes: upload.maxFileBytes,
    maxFileSetting: upload.maxFileSetting,
    deliveryMode: http.deliveryMode,
    publicUrl: http.linkBase,
  };
}

/** Creates the dependencies of every upload, and resumable uploads. */
export async function openUploads(settings: UploadSettings, parts: UploadParts) {
  const { data, upload } = settings;
  const { hasBytes, store, storageOf, onConcluded, log } = parts;
  const uploading = createUploading(settings, parts);
  const { maxFileBytes, minBytesPerSecond } = upload;
  const tempBudget = new TempBudget({
    max: upload.maxTempBytes,
    maxPerClient: upload.maxTempBytesPerClient,
    fileBytes: maxFileBytes,
  });
  const resumable = await ResumableUploads.open({
    ...uploadStorageOf(uploading, { store, hasBytes }),
    folder: data.uploads,
    budget: tempBudget,
    storageOf,
    onConcluded,
    log,
    limits: { ...upload.resumable, maxFileBytes, minBytesPerSecond },
  });
  return { uploading, tempBudget, resumable };
}
