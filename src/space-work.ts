import type { Config } from './config.ts';
import { FinalFailure } from './jobs/worker.ts';
import type { HasBytes } from './library/existing.ts';
import { uploadStorageOf } from './library/open-uploads.ts';
import type { UploadStorage, WithUploadSpace } from './library/resumable/resumable-uploads.ts';
import type { Uploading } from './library/upload.ts';
import type { SpaceTranscoding, WithDelivery } from './rendering.ts';
import { noSpace } from './spaces/manager.ts';
import type { SpaceRegistry } from './spaces/registry.ts';
import { createRoot } from './spaces/rooted/root.ts';
import type { Space } from './spaces/space.ts';
import type { Originals } from './storage/originals.ts';

/** The services of a space that such work needs. */
interface WorkServices {
  config: Config;
  originals: Originals;
  transcoding: SpaceTranscoding;
  uploading: Uploading;
  hasBytes: HasBytes;
}

/** Opens the services of spaces for work that outlives its request: transcodes, and resumable uploads. */
export function createSpaceWork(spaces: SpaceRegistry) {
  let open: ((space: Space) => WorkServices) | undefined;
  function servicesOf(id: string): { space: Space; services: WorkServices } {
    const space = spaces.find(id);
    if (!space || !open) throw noSpace(id);
    return { space, services: open(space) };
  }
  const withDelivery: WithDelivery = async (id, work) => {
    if (!spaces.find(id)) throw new FinalFailure(`The space ${id} does not exist any more.`);
    const { space, services } = servicesOf(id);
    await work(services.transcoding, createRoot(space.folder).toInner);
  };
  const withUploads: WithUploadSpace = async (id, work) => {
    const { services } = servicesOf(id);
    const { uploading, originals, hasBytes, config } = services;
    const storage: UploadStorage = {
      ...uploadStorageOf(uploading, { store: originals.store, hasBytes }),
      maxFileBytes: config.upload.maxFileBytes,
    };
    return work(storage);
  };
  return {
    withDelivery,
    withUploads,
    /** @param opener opens the services of a space */
    connect(opener: (space: Space) => WorkServices): void {
      open = opener;
    },
  };
}
