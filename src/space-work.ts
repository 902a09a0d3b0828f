import { FinalFailure } from './jobs/worker.ts';
import type { HasBytes } from './library/existing.ts';
import { uploadStorageOf } from './library/open-uploads.ts';
import type { UploadStorage } from './library/resumable/resumable-uploads.ts';
import type { Uploading } from './library/upload.ts';
import type { SpaceTranscoding, TranscodingOf } from './rendering.ts';
import { noSpace } from './spaces/manager.ts';
import type { SpaceRegistry } from './spaces/registry.ts';
import { createRoot } from './spaces/rooted/root.ts';
import type { RequestSpace } from './spaces/rules.ts';
import type { Originals } from './storage/originals.ts';

/** The services of a space that such work needs. */
interface WorkServices {
  originals: Originals;
  transcoding: SpaceTranscoding;
  uploading: Uploading;
  hasBytes: HasBytes;
}

/** Finds the services of spaces for work that outlives its request: transcodes, and resumable uploads. */
export function createSpaceWork(spaces: SpaceRegistry) {
  let open = (_within: RequestSpace): WorkServices => {
    throw new Error('The services of spaces are not connected yet.');
  };

  function transcodingOf(id: string): ReturnType<TranscodingOf> {
    const space = spaces.find(id);
    if (!space) throw new FinalFailure(`The space ${id} does not exist any more.`);
    return { transcoding: open({ space, entrance: 'prefix' }).transcoding, toInner: createRoot(space.folder).toInner };
  }

  /** @throws HttpProblem 404 for an unknown space */
  function storageOf(id: string, isByHost: boolean): UploadStorage {
    const space = spaces.find(id);
    if (!space) throw noSpace(id);
    const { uploading, originals, hasBytes } = open({ space, entrance: isByHost ? 'host' : 'prefix' });
    return uploadStorageOf(uploading, { store: originals.store, hasBytes });
  }

  return {
    transcodingOf,
    storageOf,
    /** @param opener opens the services of a space */
    connect(opener: (within: RequestSpace) => WorkServices): void {
      open = opener;
    },
  };
}
