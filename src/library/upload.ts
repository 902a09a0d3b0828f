import { open, rm } from 'node:fs/promises';
import { badRequest, HttpProblem } from '../errors.ts';
import { agrees, mediaTypeOf, SIGNATURE_BYTES, sniffMediaType } from '../media.ts';
import {
  baseName,
  encodePath,
  numberedName,
  parentOf,
  parsePath,
  quote,
  type StoragePath,
  uploadFolder,
  uploadPath,
} from '../path.ts';
import { BlobConflict, BlobExists } from '../storage/blob-store.ts';
import type { Originals } from '../storage/originals.ts';
import { type Converting, keptForm } from './heic.ts';

/** One file of an upload, received into a temporary file. */
export interface IncomingFile {
  name: string;
  declaredType: string;
  size: number;
  /** Undefined when it was over the size limit. */
  file: string | undefined;
}

export interface UploadRequest {
  files: readonly IncomingFile[];
  folder: string;
  /** Names to store the files under, in the order of the files; an absent or empty one keeps the file's own. */
  names: readonly string[];
}

/** One file in the answer of an upload. */
export interface UploadedFile {
  filename: string;
  path: string;
  size: number;
  url: string;
  prewarmedUrls: string[];
  prewarmErrors: string[];
  queuedTransformationUrls: string[];
  queueErrors: string[];
}

export interface UploadResult {
  success: boolean;
  files: UploadedFile[];
  errors: { filename: string; error: string }[];
}

export interface Uploading extends Converting {
  originals: Originals;
  publicUrl: string;
  maxFileBytes: number;
}

/** Desktop litter that browsers send along with folders. */
const IGNORED_NAMES = ['.DS_Store'];

/** How many names are tried before a name counts as used up. */
const MAX_SUFFIX = 10_000;

/**
 * Stores the files of an upload, each under a name that is free: nothing is ever overwritten. A file that cannot be
 * stored is an entry in `errors` and no reason not to store the others.
 * @throws HttpProblem 400 when the request as a whole is wrong: no file, a bad folder
 */
export async function uploadFiles(uploading: Uploading, request: UploadRequest): Promise<UploadResult> {
  if (request.files.length === 0) throw badRequest('Expected at least one file in the field "files", received none.');
  const folder = uploadFolder(request.folder);
  const result: UploadResult = { success: true, files: [], errors: [] };
  for (const [index, file] of request.files.entries()) {
    if (IGNORED_NAMES.includes(baseName(file.name as StoragePath))) continue;
    const name = request.names[index] || file.name;
    try {
      const { path, size } = await storeFile(uploading, file, uploadPath(folder, name));
      result.files.push(describe(uploading, path, size));
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      result.errors.push({ filename: name, error: error.message });
    }
  }
  result.success = result.errors.length === 0;
  return result;
}

async function storeFile(
  uploading: Uploading,
  incoming: IncomingFile,
  wanted: StoragePath,
): Promise<{ path: StoragePath; size: number }> {
  const { originals, maxFileBytes } = uploading;
  if (incoming.file === undefined || incoming.size > maxFileBytes) {
    throw badRequest(`The file is larger than the limit of ${maxFileBytes / 1024 / 1024} MB (MAX_FILE_SIZE_MB).`);
  }
  await checkType(incoming, incoming.file, wanted);
  const { file, path } = await keptForm(uploading, incoming.file, wanted);
  try {
    return await storeUnderFreeName(originals, file, path);
  } finally {
    await rm(file, { force: true });
  }
}

async function storeUnderFreeName(
  originals: Originals,
  file: string,
  path: StoragePath,
): Promise<{ path: StoragePath; size: number }> {
  for (let n = 0; n <= MAX_SUFFIX; n++) {
    const candidate = n === 0 ? path : parsePath(joinName(parentOf(path), numberedName(baseName(path), n)));
    try {
      const { size } = await originals.store.adopt(candidate, file, { existing: 'keep' });
      originals.forget(candidate);
      return { path: candidate, size };
    } catch (error) {
      if (error instanceof BlobConflict && n === MAX_SUFFIX) throw badRequest(error.message);
      if (!(error instanceof BlobExists) && !(error instanceof BlobConflict)) throw error;
    }
  }
  throw badRequest(`Expected a free name, but ${quote(baseName(path))} and ${MAX_SUFFIX} numbered ones are taken.`);
}

function joinName(folder: StoragePath, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Extension, declared type and bytes have to say the same. */
async function checkType(incoming: IncomingFile, file: string, path: StoragePath): Promise<void> {
  const named = mediaTypeOf(path);
  if (!named.uploadable) throw badRequest(`Files of this type are not accepted: ${quote(baseName(path))}.`);
  const sniffed = await sniffMediaType(await readHead(file));
  if (!sniffed || !agrees(named, sniffed)) {
    const found = sniffed ? `bytes of ${sniffed.mime}` : 'bytes of no accepted type';
    throw badRequest(`Expected ${named.mime} because of the name ${quote(baseName(path))}, received ${found}.`);
  }
  const declared = incoming.declaredType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (declared !== '' && declared !== 'application/octet-stream' && !named.declarations.includes(declared)) {
    throw badRequest(
      `Expected the declared type ${named.mime} for ${quote(baseName(path))}, received ${quote(declared)}.`,
    );
  }
}

async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function describe({ publicUrl }: Uploading, path: StoragePath, size: number): UploadedFile {
  return {
    filename: baseName(path),
    path,
    size,
    url: `${publicUrl}/t/${encodePath(path)}`,
    prewarmedUrls: [],
    prewarmErrors: [],
    queuedTransformationUrls: [],
    queueErrors: [],
  };
}
