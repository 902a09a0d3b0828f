import type { StoragePath } from '../path.ts';
import type { OriginalStat } from '../storage/originals.ts';
import { type AdmitFile, admitEveryFile } from './file-access.ts';
import type { NotFound } from './not-found.ts';
import { asFolder, type DeliveryRequest, type ReadableRequest, type UrlRules } from './url.ts';

/** Original of a request, with the request as resolved against the stored files. */
interface FoundOriginal {
  request: ReadableRequest;
  stat: OriginalStat;
}

/**
 * Finds the original that a URL requests.
 * @param readStat returns the state of an original
 * @param admit admits the request to a path before it is looked up
 * @throws HttpProblem 404 without one; 400 for a value out of range, unless a folder has that name
 */
export type FindOriginal = (
  request: DeliveryRequest,
  readStat: (request: DeliveryRequest) => Promise<OriginalStat | undefined>,
  admit?: AdmitFile,
) => Promise<FoundOriginal>;

/** Fetches an original that is missing in the store. @returns undefined if it is missing at its source too */
export type FetchMissing = (path: StoragePath, signal?: AbortSignal) => Promise<OriginalStat | undefined>;

/** Keeps folders reachable whose names have become transformations, unless the transformation finds a file. */
export function createFindOriginal(rules: UrlRules, missing: NotFound): FindOriginal {
  return async (request, readStat, admit = admitEveryFile) => {
    await admit(request.path, request.transformation ? 'variant' : 'original');
    const stat = await readStat(request);
    const folder = stat ? undefined : asFolder(request, rules);
    if (folder) await admit(folder.path, 'original');
    const folderStat = folder && (await readStat(folder));
    if (folder && folderStat) return { request: folder, stat: folderStat };
    const { transformation } = request;
    if (transformation?.kind === 'refused') throw transformation.problem;
    // Originals themselves and folders are looked up for each request.
    if (!stat) throw missing(request, transformation && !folder ? request.path : undefined);
    return { request: { ...request, transformation }, stat };
  };
}
