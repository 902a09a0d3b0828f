import type { CatalogKeeper } from '../catalog/catalog-keeper.ts';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import type { Config } from '../config.ts';
import { createCloudinaryUrls } from '../library/compat/cloudinary.ts';
import { FilesByStem } from '../library/compat/files-by-stem.ts';
import { createImgproxyUrls } from '../library/compat/imgproxy.ts';
import type { Originals } from '../storage/originals.ts';

export interface CompatParts {
  originals: Originals;
  catalog: CatalogStore;
  sync: Pick<CatalogKeeper, 'progress'>;
}

/** Creates the readers of URLs of other services. */
export function openCompat({ cache, limits, pull }: Config, { originals, catalog, sync }: CompatParts) {
  const isIndexed = () => sync.progress()?.state === 'ready';
  const files = new FilesByStem({ originals, catalog, isIndexed, rememberMs: cache.originalCheckMs });
  const imgproxy = createImgproxyUrls(originals, limits, pull.origins);
  return { cloudinary: createCloudinaryUrls(files, limits), imgproxy };
}
