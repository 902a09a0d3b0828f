import { assetQuery, browserCacheQuery, versionedUrl } from '../../api/files.ts';
import { nameOf } from '../../api/paths.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Redirect, redirectsOf } from '../../api/redirects.ts';
import { whenEarlierKnown } from '../../api/uploads/earlier.ts';
import { pathOf, type Upload } from '../../api/uploads/upload.ts';
import { whenOver } from '../../api/uploads/uploads.ts';
import { copyText } from '../../components/copy.ts';
import { errorMessage } from '../../components/states.tsx';
import { type ToastAction, toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { sayDone } from '../actions/undo.ts';
import { work } from '../actions/work.ts';
import { cachedCopiesText } from '../versions/cached-copies-text.ts';
import { restoreEarlier } from '../versions/restore.ts';

/**
 * Says once all uploads have ended which URLs deliver something else now: those of replaced files, and old URLs that
 * new files have taken. It is one message, which offers to undo all of it where it can be undone.
 * @param canManage offers that
 */
export async function sayChangedUrls(uploads: readonly Upload[], canManage: boolean): Promise<void> {
  await whenOver(uploads);
  const stored = uploads.filter(({ state }) => state === 'done');
  const replaced = stored.filter(({ replaces }) => replaces);
  const added = stored.flatMap(({ replaces, path }) => (replaces || path === undefined ? [] : [path]));
  try {
    const redirects = (await redirectsOf(added)).filter(({ isOverruled }) => isOverruled);
    if (redirects.length + replaced.length === 0) return;
    await whenEarlierKnown(replaced);
    const paths = [...redirects.map(({ from }) => from), ...replaced.map(pathOf)];
    const { text, copy } = await replacedText(replaced.map(pathOf));
    // New files whose paths have redirects: their URLs no longer deliver the targets.
    const overruled = redirectsText(redirects, messages.uploads.overruled, messages.uploads.overruledMany);
    const texts = [overruled, text].filter((one) => one !== '');
    sayDone(texts.join(' '), canManage ? takeBackOf(redirects, replaced) : undefined, { paths, more: copy });
  } catch (error) {
    toast(errorMessage(error));
  }
}

/** Undefined where nothing can be taken back: the service keeps no versions. */
function takeBackOf(redirects: readonly Redirect[], replaced: readonly Upload[]): (() => void) | undefined {
  const restorable = replaced.filter(({ earlier }) => earlier !== undefined);
  if (redirects.length + restorable.length === 0) return undefined;
  return async () => {
    if (redirects.length > 0) await deleteOverruling(redirects.map(({ from }) => from));
    if (restorable.length > 0) await restoreEarlier(restorable);
  };
}

/** Deletes new files whose paths have redirects, and says that those are in use again. */
async function deleteOverruling(paths: readonly string[]): Promise<void> {
  const items = paths.map((path) => ({ path, kind: 'file' as const }));
  const more = async () => {
    const redirects = (await redirectsOf(paths)).filter(({ isOverruled }) => !isOverruled);
    return redirectsText(redirects, messages.uploads.redirectsAgain, messages.uploads.redirectsAgainMany);
  };
  await work({ action: 'delete', trash: true }, { items }, { isUndo: true, more });
}

function redirectsText(
  redirects: readonly Redirect[],
  one: (from: string, to: string) => string,
  many: (count: number) => string,
): string {
  const [first] = redirects;
  if (first === undefined) return '';
  return redirects.length === 1 ? one(first.from, first.to) : many(redirects.length);
}

async function replacedText(paths: readonly string[]): Promise<{ text: string; copy?: ToastAction | undefined }> {
  const [path] = paths;
  if (path === undefined) return { text: '' };
  const [cache, { mtime }] = await Promise.all([
    queryClient.fetchQuery({ ...browserCacheQuery(path), staleTime: 0 }),
    queryClient.fetchQuery({ ...assetQuery(path), staleTime: 0 }),
  ]);
  const what = paths.length === 1 ? nameOf(path) : messages.plural.files(paths.length);
  const text = `${messages.uploads.replaced(what)} ${cachedCopiesText(cache, Date.now())}`;
  if (paths.length > 1 || cache === 0) return { text };
  return {
    text,
    copy: {
      label: messages.files.copyVersionUrl,
      run: () => void copyText(versionedUrl(path, mtime), messages.copies.url),
    },
  };
}
