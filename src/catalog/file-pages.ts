import { baseName, type StoragePath } from '../path.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { KnownFile } from './records.ts';

const PAGE = 500;

/**
 * Reads the rows of the files directly in a folder, in pages, by name. Rows already returned may be removed meanwhile.
 */
export async function* filePages(
  { files }: Pick<CatalogStore, 'files'>,
  folder: StoragePath,
): AsyncGenerator<KnownFile[]> {
  let after: string | undefined;
  for (;;) {
    const page = await files.page(folder, after, PAGE);
    yield page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = baseName(last.path);
  }
}
