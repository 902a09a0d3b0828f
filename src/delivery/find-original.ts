import type { StoragePath } from '../path.ts';
import type { OriginalStat } from '../storage/originals.ts';
import type { NotFound } from './not-found.ts';
import { asFolder, type DeliveryRequest, type ReadableRequest, type UrlRules } from './url.ts';

/** The original of a request, with the request as its URL turns out to be meant. */
interface FoundOriginal {
  request: ReadableRequest;
  stat: OriginalStat;
}

/**
 * Finds the original that a URL asks for.
 * @param look how the state of an original is found out
 * @throws HttpProblem 404 when there is none; 400 for a value out of range, unless a folder has that name
 */
export type FindOriginal = (
  request: DeliveryRequest,
  readStat: (request: DeliveryRequest) => Promise<OriginalStat | undefined>,
) => Promise<FoundOriginal>;

/**
 * Looks for an original elsewhere that is not in the store.
 * @returns undefined when it is not there either
 */
export type FetchMissing = (path: StoragePath, signal?: AbortSignal) => Promise<OriginalStat | undefined>;

/** Folders with names that have become transformations stay reachable, where those have no file. */
export function createFindOriginal(rules: UrlRules, missing: NotFound): FindOriginal {
  return async (request, readStat) => {
    const stat = await readStat(request);
    const folder = stat ? undefined : asFolder(request, rules);
    const folderStat = folder && (await readStat(folder));
    if (folder && folderStat) return { request: folder, stat: folderStat };
    const { transformation } = request;
    if (transformation?.kind === 'refused') throw transformation.problem;
    if (!stat) throw missing(request);
    return { request: { ...request, transformation }, stat };
  };
}
