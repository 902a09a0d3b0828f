import { stat } from 'node:fs/promises';
import { formatBytes } from '../bytes.ts';
import { type Client, TRUSTED } from '../client.ts';
import { badRequest, type ErrorCode, HttpProblem } from '../errors.ts';
import type { Log } from '../log.ts';
import { agrees, isAccepted, isDisabledExtraType, type MediaType, mediaTypeOf, sniffFile } from '../media.ts';
import { baseName, encodePath, quote, type StoragePath, splitName, uploadFolder, uploadPath } from '../path.ts';
import { removeFile } from '../runtime/remove-file.ts';
import { StorageUnavailable } from '../storage/blob-store.ts';
import { type Existing, parseExisting } from './existing.ts';
import { type Converting, storedFormat, storedPath } from './heic-upload.ts';
import type { Added, Library } from './library.ts';
import { checkTransformations, type Prewarmed, type Prewarming, parseTransformations, prewarm } from './prewarm.ts';

/** One file of an upload, received into a temporary file. */
export interface IncomingFile {
  name: string;
  declaredType: string;
  /** Undefined if the file was refused. */
  file: string | undefined;
  /** Reason why the file was refused. */
  refusal: string | undefined;
  /** Removes the temporary file, if it still exists. */
  discard(): Promise<void>;
}

export interface UploadRequest {
  /** Client that the work is charged to, regardless of the address of the last bytes. */
  client: Client;
  /** True for credentials with the permission to read. */
  mayRead?: boolean | undefined;
  files: readonly IncomingFile[];
  folder: string;
  /** Names for the stored files, in the order of the files. Without one, or with an empty one, a file keeps its own. */
  names: readonly string[];
  /** Handling of files whose names are taken, as `parseExisting` reads it. */
  existing?: string | undefined;
  /** Transformations rendered immediately for every file, as `parseTransformations` reads them. */
  transformations: readonly string[];
}

/** One file in the response to an upload. */
export interface UploadedFile extends Prewarmed {
  filename: string;
  path: string;
  size: number;
  url: string;
  /** Set for a file that existed already. */
  skipped?: true;
}

/** Reason why a file was not stored. */
export interface FileRefusal {
  filename: string;
  error: string;
  code: ErrorCode;
  /** What the error says, for programs. */
  details?: Readonly<Record<string, unknown>>;
}

export interface UploadResult {
  success: boolean;
  files: UploadedFile[];
  errors: FileRefusal[];
}

/** A file with its path, before its bytes arrive. */
export interface AnnouncedFile {
  path: StoragePath;
  bytes: number;
  existing: Existing;
}

export interface Uploading extends Converting, Prewarming {
  library: Pick<Library, 'add'>;
  deliveryRules: NonNullable<Prewarming['deliveryRules']> & {
    /** Returns the refusal of a path that takes nothing from anyone without credentials. */
    refusalIfDisabled(path: StoragePath): HttpProblem | undefined;
  };
  /**
   * Refuses a file before any work, if it would exceed a quota. The store checks what it gets.
   * @throws HttpProblem 507
   */
  requireQuota?: ((file: AnnouncedFile) => Promise<void>) | undefined;
  /** Accepted kinds and MIME types; undefined for all. */
  types?: readonly string[] | undefined;
  /** Maximum of a file. It may have been received where the maximum is higher. */
  maxFileBytes: number;
  /** Name of what sets it: a variable, or a rule of the space. */
  maxFileSetting: string;
  log: Log;
}

/** Error for a file above the size limit. @param setting name of what sets the limit: a variable, or a rule of the space */
export function fileTooLarge(maxBytes: number, setting = 'MAX_FILE_SIZE_MB'): string {
  return `The file is larger than the limit of ${formatBytes(maxBytes)} (${setting}).`;
}

/** Statuses of an upload whose files all failed for lack of a render budget, or of a quota. */
const REFUSED_FOR_ALL: readonly number[] = [429, 507];

/** System files that browsers send along with folders. */
const IGNORED_NAMES = ['.DS_Store'];

/**
 * Stores the files of an upload; never overwrites. A file that cannot be stored becomes an entry in `errors` and does
 * not affect the others.
 * @throws HttpProblem 400 when the whole request is invalid: no file, a bad folder or transformation. 403 for an
 * untrusted client in a disabled space. 503, or
 * StorageUnavailable, when the service cannot store or convert a file now. 429 when the client has no render budget for
 * any of the files. Nothing is stored in these cases. Throws the signal's reason when the client disconnects; files
 * stored by then remain.
 */
export async function uploadFiles(uploading: Uploading, request: UploadRequest): Promise<UploadResult> {
  const { client } = request;
  const { folder, files, existing, segments } = planUpload(request, uploading);
  const result: UploadResult = { success: true, files: [], errors: [] };
  const postponed: HttpProblem[] = [];
  for (const { name, file } of files) {
    uploading.signal?.throwIfAborted();
    try {
      const { path, size, isSkipped } = await storeFile(uploading, client, file, {
        path: uploadPath(folder, name),
        existing,
      });
      const prewarmed = await prewarm(uploading, client, path, segments, request.mayRead);
      const url = `${uploading.publicUrl}/t/${encodePath(path)}`;
      result.files.push({
        filename: baseName(path),
        path,
        size,
        url,
        ...prewarmed,
        ...(isSkipped && { skipped: true }),
      });
    } catch (error) {
      if (error === uploading.signal?.reason) throw error;
      // The file is not at fault. If other files were stored before, the response must report them.
      if (isForLater(error) && result.files.length === 0) throw error;
      if (error instanceof HttpProblem && REFUSED_FOR_ALL.includes(error.status)) postponed.push(error);
      result.errors.push({ filename: name, ...reasonOf(error, uploading.log) });
    }
  }
  // While a budget or a quota is exhausted, the other files of an upload are stored.
  if (postponed[0] && postponed.length === files.length) throw postponed[0];
  result.success = result.errors.length === 0;
  return result;
}

/**
 * Parses folder, names and transformations of an upload.
 * @throws HttpProblem 400 and 403 as `uploadFiles`
 */
function planUpload(request: UploadRequest, { rules, deliveryRules }: Pick<Uploading, 'rules' | 'deliveryRules'>) {
  if (request.files.length === 0)
    throw badRequest('Expected at least one file in the field "files", received none.', 'missing_input');
  const folder = uploadFolder(request.folder);
  const files = namedFiles(request);
  const existing = parseExisting(request.existing);
  const segments = parseTransformations(request.transformations);
  const types = files.map(({ name }) => mediaTypeOf(name)).filter(({ uploadable }) => uploadable);
  checkTransformations(segments, types, rules);
  for (const { name } of request.client === TRUSTED ? [] : files) {
    const refusal = deliveryRules.refusalIfDisabled(uploadPath(folder, name));
    if (refusal) throw refusal;
  }
  return { folder, files, existing, segments };
}

/**
 * Validates an upload before its bytes arrive.
 * @throws HttpProblem 400 and 403 for everything that `uploadFiles` would refuse regardless of the bytes
 */
export function checkAnnounced(
  request: UploadRequest,
  uploading: Pick<Uploading, 'rules' | 'deliveryRules' | 'types'>,
): void {
  const { types } = uploading;
  const { folder, files } = planUpload(request, uploading);
  for (const { name, file } of files) {
    const path = uploadPath(folder, name);
    requireDeclared(file.declaredType, requireUploadable(path, types), path);
  }
}

/** Refuses an upload of one file before its bytes arrive, if they would exceed a quota. @throws HttpProblem 400, 507 */
export async function requireQuotaFor(
  uploading: Pick<Uploading, 'requireQuota' | 'rules' | 'deliveryRules'>,
  request: UploadRequest,
  bytes: number,
): Promise<void> {
  const { requireQuota } = uploading;
  if (!requireQuota) return;
  const { folder, files, existing } = planUpload(request, uploading);
  for (const { name } of files) await requireQuota({ path: storedPath(uploadPath(folder, name)), bytes, existing });
}

/** True if the service could not store any file now, so that the whole upload should be retried later. */
function isForLater(error: unknown): boolean {
  return error instanceof StorageUnavailable || (error instanceof HttpProblem && error.status === 503);
}

/**
 * Returns the reason, for the client, why a file was not stored; also for an internal failure, because the response
 * reports the other files.
 */
function reasonOf(error: unknown, log: Log): Omit<FileRefusal, 'filename'> {
  if (error instanceof HttpProblem) return fileRefusalOf(error);
  log.error({ err: error }, 'an uploaded file could not be stored');
  return { error: 'The file could not be stored.', code: 'internal_error' };
}

/** Returns what the response says of a refused file. */
export const fileRefusalOf = ({ message, code, details }: HttpProblem): Omit<FileRefusal, 'filename'> => ({
  error: message,
  code,
  ...(details && { details }),
});

/** Returns the files without system files, each with its requested name. */
function namedFiles({ files, names }: UploadRequest): { name: string; file: IncomingFile }[] {
  return files
    .map((file, index) => ({ name: names[index] || file.name, file }))
    .filter(({ file }) => !IGNORED_NAMES.includes(baseName(file.name as StoragePath)));
}

async function storeFile(
  uploading: Uploading,
  client: Client,
  incoming: IncomingFile,
  { path: wanted, existing }: { path: StoragePath; existing: Existing },
): Promise<Added> {
  if (incoming.file === undefined) throw badRequest(incoming.refusal ?? 'The file was not received.', 'file_too_large');
  await checkType(incoming, incoming.file, wanted, uploading.types);
  const { size } = await stat(incoming.file);
  if (size > uploading.maxFileBytes) {
    throw badRequest(fileTooLarge(uploading.maxFileBytes, uploading.maxFileSetting), 'file_too_large');
  }
  await uploading.requireQuota?.({ path: storedPath(wanted), bytes: size, existing });
  const { file, path } = await storedFormat(uploading, client, incoming.file, wanted);
  try {
    return await uploading.library.add(path, file, existing);
  } finally {
    if (file !== incoming.file) await removeFile(file);
    await incoming.discard();
  }
}

/**
 * Checks that extension, declared type and bytes agree.
 * @param types accepted kinds and MIME types; undefined for all
 * @throws HttpProblem 400
 */
export async function checkType(
  incoming: Pick<IncomingFile, 'declaredType'>,
  file: string,
  path: StoragePath,
  types?: readonly string[],
): Promise<void> {
  const named = requireUploadable(path, types);
  const sniffed = await sniffFile(file);
  if (!sniffed || !agrees(named, sniffed)) {
    const found = sniffed ? `bytes of ${sniffed.mime}` : 'bytes of no accepted type';
    const message = `Expected ${named.mime} because of the name ${quote(baseName(path))}, received ${found}.`;
    throw new HttpProblem('type_mismatch', message, { details: mismatchOf(named, sniffed, types) });
  }
  requireDeclared(incoming.declaredType, named, path);
}

/** Expected and received type, with the extension under which the file would be accepted. */
function mismatchOf(named: MediaType, sniffed: MediaType | undefined, types?: readonly string[]) {
  const isWelcome = sniffed?.uploadable && isAccepted(sniffed, types);
  return {
    expected: named.mime,
    received: sniffed?.mime ?? null,
    extension: (isWelcome && sniffed.extensions[0]) || null,
  };
}

function requireUploadable(path: StoragePath, types: readonly string[] | undefined): MediaType {
  const named = mediaTypeOf(path);
  if (named.uploadable && isAccepted(named, types)) return named;
  const message = `Files of this type are not accepted: ${quote(baseName(path))}.`;
  throw badRequest(`${message}${wayToAccept(path, named.uploadable)}`, 'unsupported_type');
}

/** Setting that would accept a file; empty if there is none. @param isUploadable false where no space would take it */
function wayToAccept(path: StoragePath, isUploadable: boolean): string {
  if (isUploadable) return ' This space accepts other types only.';
  return isDisabledExtraType(path) ? ' The setting EXTRA_TYPES accepts them.' : '';
}

function requireDeclared(declaredType: string, named: MediaType, path: StoragePath): void {
  const declared = declaredType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (declared !== '' && declared !== 'application/octet-stream' && !named.declarations.includes(declared)) {
    const message = `Expected the declared type ${named.mime} for ${quote(baseName(path))}, received ${quote(declared)}.`;
    throw badRequest(message, 'type_mismatch');
  }
}

/** Name of a file whose URL has none. */
const NAMELESS = 'file';

/**
 * Names a fetched file after the last segment of its URL, with the extension of its bytes: many URLs have no extension,
 * or return another format.
 */
export async function fetchedName(url: URL, file: string): Promise<string> {
  const name = lastName(url);
  const sniffed = await sniffFile(file);
  const named = mediaTypeOf(name);
  const [extension] = sniffed?.extensions ?? [];
  if (!sniffed || extension === undefined || agrees(named, sniffed)) return name;
  return `${named.uploadable ? splitName(name).stem : name}.${extension}`;
}

function lastName({ pathname }: URL): string {
  const name = pathname.split('/').findLast((part) => part !== '') ?? NAMELESS;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
