import { listVersions } from '../versions.ts';
import { pathOf, type Upload } from './upload.ts';
import { onSettled, uploadQueue } from './uploads.ts';

/** Searches for the versions that replacements have left. */
const searches = new WeakMap<Upload, Promise<void>>();

onSettled((uploads) => {
  for (const upload of uploads)
    if (upload.state === 'done' && upload.replaces) searches.set(upload, findEarlier(upload));
});

/** The first version that was not there before: an attempt that broke off may have made one too. */
async function findEarlier(upload: Upload): Promise<void> {
  const { versionsBefore } = upload;
  if (!versionsBefore) return;
  const versions = await listVersions(pathOf(upload)).catch(() => []);
  const version = versions.findLast(({ id }) => !versionsBefore.has(id));
  if (version) uploadQueue.noteEarlier(upload, version.id);
}

/** Resolves once `earlier` of finished uploads is known. It is undefined where no versions are kept. */
export async function whenEarlierKnown(uploads: readonly Upload[]): Promise<void> {
  await Promise.all(uploads.map((upload) => searches.get(upload)));
}
