import { resultUrl } from '../delivery/transcodes.ts';
import type { Job } from '../jobs/job.ts';
import type { SpaceRegistry } from './registry.ts';
import { createRoot } from './rooted/root.ts';
import { spacePath } from './rules.ts';

/**
 * Returns the path of the URL of a job's result, as seen from the library. That of a space's job leads into the space,
 * because the files of its layers are named by inner paths.
 */
export function jobUrl(
  { space: id, path, transformation }: Pick<Job, 'space' | 'path' | 'transformation'>,
  spaces: Pick<SpaceRegistry, 'find'>,
): string {
  const space = id === '' ? undefined : spaces.find(id);
  const root = space && createRoot(space.folder);
  // A space of this name may have been deleted, with another folder.
  if (!space || !root?.contains(path)) return resultUrl(transformation, path);
  return spacePath(space) + resultUrl(transformation, root.toInner(path));
}
