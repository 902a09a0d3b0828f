import { badRequest, type HttpProblem, notFound } from '../errors.ts';
import { quote, ROOT, type StoragePath } from '../path.ts';
import type { BlobReads } from '../storage/blob-store.ts';

export function noFile(path: StoragePath): HttpProblem {
  return notFound(`There is no file ${quote(path)}.`, 'file_not_found', 'Not found');
}

export function noFileOrFolder(path: StoragePath): HttpProblem {
  return notFound(`There is no file or folder ${quote(path)}.`);
}

/** 400 for a folder where a file is expected. */
export function expectedFile(path: StoragePath): HttpProblem {
  return badRequest(`Expected a file, but ${quote(path)} is a folder.`, 'is_a_folder');
}

/** Returns the error for a path without a file: 400 for a folder, 404 otherwise. */
export async function notAFile(store: Pick<BlobReads, 'folderExists'>, path: StoragePath): Promise<HttpProblem> {
  return path === ROOT || (await store.folderExists(path)) ? expectedFile(path) : noFile(path);
}
