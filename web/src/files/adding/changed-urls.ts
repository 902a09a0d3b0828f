import { assetQuery, browserCacheQuery, versionedUrl } from '../../api/files.ts';
import { join, nameOf } from '../../api/paths.ts';
import { queryClient } from '../../api/query-client.ts';
import { redirectsOf } from '../../api/redirects.ts';
import type { Upload } from '../../api/uploads/upload.ts';
import { whenOver } from '../../api/uploads/uploads.ts';
import { copyText } from '../../components/copy.ts';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { sayDone } from '../actions/undo.ts';
import { work } from '../actions/work.ts';
import { cachedCopiesText } from '../versions/cached-copies-text.ts';

/**
 * Says once all uploads have ended which URLs deliver something else now: those of replaced files, and old URLs that
 * new files have taken.
 * @param canDelete offers to take new files back
 */
export async function sayChangedUrls(uploads: readonly Upload[], canDelete: boolean): Promise<void> {
  await whenOver(uploads);
  const stored = uploads.filter(({ state }) => state === 'done');
  try {
    await sayOverruled(
      stored.flatMap(({ replaces, path }) => (replaces || path === undefined ? [] : [path])),
      canDelete,
    );
    await sayReplaced(stored.filter(({ replaces }) => replaces).map(({ folder, name }) => join(folder, name)));
  } catch (error) {
    toast(errorMessage(error));
  }
}

/** New files whose paths have redirects: their URLs no longer deliver the targets. */
async function sayOverruled(paths: readonly string[], canDelete: boolean): Promise<void> {
  const redirects = (await redirectsOf(paths)).filter(({ isOverruled }) => isOverruled);
  const [first] = redirects;
  if (first === undefined) return;
  const { overruled, overruledMany } = messages.uploads;
  const items = redirects.map(({ from }) => ({ path: from, kind: 'file' as const }));
  sayDone(
    redirects.length === 1 ? overruled(first.from, first.to) : overruledMany(redirects.length),
    canDelete ? () => void work({ action: 'delete', trash: true }, { items }, { isUndo: true }) : undefined,
  );
}

async function sayReplaced(paths: readonly string[]): Promise<void> {
  const [path] = paths;
  if (path === undefined) return;
  const [cache, { mtime }] = await Promise.all([
    queryClient.fetchQuery({ ...browserCacheQuery(path), staleTime: 0 }),
    queryClient.fetchQuery({ ...assetQuery(path), staleTime: 0 }),
  ]);
  const what = paths.length === 1 ? nameOf(path) : messages.plural.files(paths.length);
  const text = `${messages.uploads.replaced(what)} ${cachedCopiesText(cache, Date.now())}`;
  const copy = { label: messages.files.copyVersionUrl, run: () => void copyText(versionedUrl(path, mtime)) };
  toast(text, paths.length > 1 || cache === 0 ? undefined : copy);
}
