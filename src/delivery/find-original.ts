import { HttpProblem } from '../errors.ts';
import { mediaTypeOf } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { OriginalStat } from '../storage/originals.ts';
import { type AdmitFile, admitEveryFile, type Wanted } from './file-access.ts';
import type { NotFound } from './not-found.ts';
import { asFolder, type DeliveryRequest, type ReadableRequest, readTransformation, type UrlRules } from './url.ts';

/** Original of a request, with the request as resolved against the stored files. */
export interface FoundOriginal {
  request: ReadableRequest;
  stat: OriginalStat;
  /** The missing path whose redirect has led to the original. */
  redirectedFrom?: StoragePath;
}

/** Returns the state of an original. */
type ReadStat = (request: DeliveryRequest) => Promise<OriginalStat | undefined>;

/**
 * Finds the original that a URL requests.
 * @param admit admits the request to a path before it is looked up
 * @throws HttpProblem 404 without one; 400 for a value out of range, unless a folder has that name
 */
export type FindOriginal = (request: DeliveryRequest, readStat: ReadStat, admit?: AdmitFile) => Promise<FoundOriginal>;

/** Fetches an original that is missing in the store. @returns undefined if it is missing at its source too */
export type FetchMissing = (path: StoragePath, signal?: AbortSignal) => Promise<OriginalStat | undefined>;

/**
 * Returns where the redirect of a missing path leads.
 * @returns undefined without a redirect; without `to` if its target cannot be reached from the path
 */
export type FollowRedirect = (path: StoragePath) => Promise<{ to: StoragePath | undefined } | undefined>;

export const followNone: FollowRedirect = async () => undefined;

/**
 * Keeps folders reachable whose names have become transformations, unless the transformation finds a file; and previous
 * paths of files that were moved.
 */
export function createFindOriginal(
  rules: UrlRules,
  missing: NotFound,
  followRedirect: FollowRedirect = followNone,
): FindOriginal {
  return async (request, readStat, admit = admitEveryFile) => {
    await admit(request.path, request.transformation ? 'variant' : 'original');
    const stat = await readStat(request);
    const folder = stat ? undefined : asFolder(request, rules);
    if (folder) await admit(folder.path, 'original');
    const folderStat = folder && (await readStat(folder));
    if (folder && folderStat) return { request: folder, stat: folderStat };
    const { transformation } = request;
    if (stat) return { request: { ...request, transformation: readable(transformation) }, stat };
    // The transformation may be the name of a folder.
    const moved = await findMoved(request, folder);
    const found = moved && (await findTarget(moved, readStat, admit));
    if (found) return found;
    readable(transformation);
    // Originals themselves, folders and redirects are looked up for each request.
    throw missing(request, transformation && !folder && !moved ? request.path : undefined);
  };

  /** Returns the first of the missing paths that has a redirect. */
  async function findMoved(...missingPaths: (DeliveryRequest | undefined)[]): Promise<Moved | undefined> {
    for (const from of missingPaths) {
      const redirect = from && (await followRedirect(from.path));
      if (redirect) return { from, to: redirect.to };
    }
    return undefined;
  }

  async function findTarget(
    { from, to }: Moved,
    readStat: ReadStat,
    admit: AdmitFile,
  ): Promise<FoundOriginal | undefined> {
    const request = to === undefined ? undefined : redirected(from, to, rules);
    if (!request || !(await isAdmitted(admit, request.path, request.transformation ? 'variant' : 'original'))) {
      return undefined;
    }
    const stat = await readStat(request);
    return stat && { request, stat, redirectedFrom: from.path };
  }
}

/** A missing path with a redirect, and where that leads. */
interface Moved {
  from: DeliveryRequest;
  to: StoragePath | undefined;
}

/** @throws HttpProblem 400 for a value out of range */
function readable(transformation: DeliveryRequest['transformation']): ReadableRequest['transformation'] {
  if (transformation?.kind === 'refused') throw transformation.problem;
  return transformation;
}

/** Returns a request of the target of a redirect; undefined if its kind differs, to which the mode was not applied. */
function redirected(from: DeliveryRequest, path: StoragePath, rules: UrlRules): ReadableRequest | undefined {
  const { segment, transformation } = from;
  const type = mediaTypeOf(path);
  if (type.kind !== from.type.kind || transformation?.kind === 'refused') return undefined;
  if (!transformation || type === from.type) return { path, type, segment, transformation };
  const read = readTransformation(segment, type, rules);
  return read && { path, type, segment, transformation: read };
}

/** False for a target that the request may not have: it must not be told from a missing one. */
export async function isAdmitted(admit: AdmitFile, path: StoragePath, wanted: Wanted): Promise<boolean> {
  try {
    await admit(path, wanted);
    return true;
  } catch (error) {
    if (error instanceof HttpProblem && [401, 403].includes(error.status)) return false;
    throw error;
  }
}
