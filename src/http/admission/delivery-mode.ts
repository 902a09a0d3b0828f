import type { FastifyReply, FastifyRequest } from 'fastify';
import { verifyingSecrets } from '../../auth/signature.ts';
import { type Client, TRUSTED } from '../../client.ts';
import { refuseUnsigned, signatureRequired } from '../../delivery/delivery-mode.ts';
import type { AdmitFile, Wanted } from '../../delivery/file-access.ts';
import { readSignedUrl, SIGNATURE_START, type SignedUrl, signDeliveryUrl } from '../../delivery/signed-url.ts';
import { asFolder, type DeliveryRequest, encodeSegment, readDeliveryUrl } from '../../delivery/url.ts';
import { HttpProblem, notFound } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import { encodePath, type StoragePath } from '../../path.ts';
import { clientOf } from './client-address.ts';
import { presentsCredentials, recallSession } from './credentials.ts';
import { requirePermission } from './guards.ts';
import type { RateLimiter } from './rate-limit.ts';
import { spaceOf } from './space.ts';
import { verifyPresentedKey } from './verified-key.ts';

/** The access that `DELIVERY_MODE` permits a client, and its duration. */
export interface DeliveryPermit {
  delivery: DeliveryRequest;
  cacheControl: string;
  /** True if the URL alone gives access, permanently. */
  isForEveryone: boolean;
  /** The client's own URL for the state of a transcode; undefined where the state is public. */
  statusUrl?: string;
  /**
   * The URI of another delivery of the same kind, relative to this one.
   * @param raw what follows `/t/` in its URL
   */
  uriOf(raw: string): string;
  /** The client that the work is charged to. */
  client: Client;
  /** Admission to the files that the rules of spaces withhold from everyone; undefined where it has every right. */
  files?: FileAdmission | undefined;
  /** Defined for a URL of another service. */
  foreign?: ForeignTerms;
}

/** Admits a request to files, by a key or a session where a rule withholds one from everyone. */
export interface FileAdmission {
  admit: AdmitFile;
  /** True after a file was admitted by a key or a session. */
  readonly isPrivate: boolean;
}

/** Additional terms of the response to a URL of another service. */
export interface ForeignTerms {
  headers: Readonly<Record<string, string>>;
  /** True if the URL was last found to mean these files. */
  isStill(): boolean;
}

const OPEN = '/t/';
const SIGNED = '/authenticated/';
const STATUS = '/video-status/';

/** For responses that required a key or a session: shared caches must not store them. */
export const PRIVATE = 'private, no-cache';

/**
 * Admits a request for an original or a variant by `DELIVERY_MODE`. Where a URL alone is not enough, a key with the
 * permission "read" or a session is. Signed URLs are not limited, but refused signatures count towards the client's
 * rate limit.
 * @throws HttpProblem 400 for an invalid URL, 401, 403, and 429 for a refused signature once the limit is used up
 */
export async function admitDelivery(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  countRefusal: RateLimiter['countRefusal'],
): Promise<DeliveryPermit> {
  const { limits } = services.config;
  // The router decodes "%2F" in a path. The raw text is as the client wrote it.
  const [url = ''] = (request.raw.url ?? '').split('?', 1);
  if (url.startsWith(SIGNED)) {
    const rest = url.slice(SIGNED.length);
    const signed = await requireSigned(request, rest, services, countRefusal);
    const files = createSignedAdmission(request, reply, services);
    return { ...admitSigned(rest, signed, services), client: await payerOf(request, services), files };
  }
  // The router also matches "/%74/".
  if (!url.startsWith(OPEN)) throw notFound(`There is no endpoint ${url}.`, 'unknown_endpoint');
  const rest = url.slice(OPEN.length);
  const delivery = readDeliveryUrl(rest, limits);
  const uriOf = (raw: string) => upFrom(rest) + raw;
  const resolved = (await folderInstead(delivery, services)) ?? delivery;
  return { ...(await admitUnsigned(request, reply, services, resolved)), delivery: resolved, uriOf };
}

/** Returns, in `presets` mode, the file in a folder whose name is a transformation, if there is one. */
async function folderInstead(delivery: DeliveryRequest, services: Services): Promise<DeliveryRequest | undefined> {
  const { http, limits } = services.config;
  if (http.deliveryMode !== 'presets' || !refuseUnsigned(delivery, http.deliveryMode, limits)) return undefined;
  const folder = asFolder(delivery, limits);
  // A private one must not be told from a missing one.
  if (folder && services.deliveryRules.refusalOf(folder.path, 'original', folder)) return folder;
  return folder && (await services.originals.stat(folder.path)) ? folder : undefined;
}

/**
 * Admits a URL of another service under the terms of the `/t/` URL that it means.
 * @throws HttpProblem 401 and 403
 */
export async function admitForeign(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  delivery: DeliveryRequest,
  expires?: number,
): Promise<DeliveryPermit> {
  const [path = ''] = (request.raw.url ?? '').split('?', 1);
  const uriOf = (raw: string) => upFrom(path.slice(1)) + OPEN.slice(1) + raw;
  const admitted = await admitUnsigned(request, reply, services, delivery);
  const terms = admitted.isForEveryone ? termsUntil(expires, admitted.cacheControl) : {};
  return { ...admitted, ...terms, delivery, uriOf };
}

/**
 * Admits a URL of another service before files are looked up for the names in it, which is before its terms are known.
 * @returns the admission to each of them; undefined while no rule withholds a file from anyone
 * @throws HttpProblem 401 and 403
 */
export async function admitNames(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<FileAdmission | undefined> {
  if (services.config.http.deliveryMode !== 'signed') return createFileAdmission(request, reply, services, undefined);
  await requireRead(request, reply, services, signatureRequired());
  return undefined;
}

/**
 * Admits a URL of another service whose signature is valid.
 * @param expires the Unix second up to which it is valid
 */
export async function admitSignedForeign(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  delivery: DeliveryRequest,
  expires?: number,
): Promise<DeliveryPermit> {
  const { http, auth, limits } = services.config;
  const [path = ''] = (request.raw.url ?? '').split('?', 1);
  const isNeeded = http.deliveryMode === 'signed' || !services.deliveryRules.isOpen;
  const isSigned = isNeeded && auth.secret !== undefined;
  const secret = auth.secret as string;
  const target = (raw: string) => (isSigned ? signDeliveryUrl(raw, { secret, limits, expires }) : OPEN + raw);
  const uriOf = (raw: string) => upFrom(path.slice(1)) + target(raw).slice(1);
  const own = `${encodeSegment(delivery.segment)}/${encodePath(delivery.path)}`;
  const status = isSigned && delivery.segment !== '' ? { statusUrl: STATUS + target(own).slice(SIGNED.length) } : {};
  const client = await payerOf(request, services);
  const files = createSignedAdmission(request, reply, services);
  return { delivery, uriOf, client, files, ...status, ...termsUntil(expires, http.cacheControl) };
}

/** @throws HttpProblem 401 and 403 where neither the mode nor a key or a session gives access */
async function admitUnsigned(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  delivery: DeliveryRequest,
): Promise<Pick<DeliveryPermit, 'cacheControl' | 'isForEveryone' | 'client' | 'files'>> {
  const { http, limits } = services.config;
  const refusal = refuseUnsigned(delivery, http.deliveryMode, limits);
  if (refusal === undefined) {
    const client = await payerOf(request, services);
    const files = createFileAdmission(request, reply, services, delivery);
    return { cacheControl: http.cacheControl, isForEveryone: true, client, files };
  }
  await requireRead(request, reply, services, refusal);
  return { cacheControl: PRIVATE, isForEveryone: false, client: TRUSTED };
}

/**
 * Returns undefined while no rule withholds a file from anyone.
 * @param delivery undefined if it is not known yet what is requested of the files
 */
export function createFileAdmission(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  delivery: DeliveryRequest | undefined,
): FileAdmission | undefined {
  const { deliveryRules } = services;
  return createAdmission(request, reply, services, (path, wanted) => deliveryRules.refusalOf(path, wanted, delivery));
}

/** As `createFileAdmission`, for signed URLs: they lead to all files but those of disabled spaces. */
function createSignedAdmission(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): FileAdmission | undefined {
  return createAdmission(request, reply, services, (path) => services.deliveryRules.refusalIfDisabled(path));
}

function createAdmission(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  refusalOf: (path: StoragePath, wanted: Wanted) => HttpProblem | undefined,
): FileAdmission | undefined {
  if (services.deliveryRules.isOpen) return undefined;
  let isPrivate = false;
  return {
    async admit(path, wanted) {
      const refusal = isPrivate ? undefined : refusalOf(path, wanted);
      if (!refusal) return;
      await requireRead(request, reply, services, refusal);
      isPrivate = true;
    },
    get isPrivate() {
      return isPrivate;
    },
  };
}

/**
 * Admits a request for the state of a variant. Where only signed URLs deliver, it requires their signature, a key or a
 * session.
 * @param raw what follows `/video-status/`, percent-encoded as it arrived
 * @throws HttpProblem 400 for an invalid URL, 401 and 403
 */
export async function admitStatus(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  raw: string,
): Promise<{ delivery: DeliveryRequest; admit?: AdmitFile | undefined }> {
  const { auth, limits, http } = services.config;
  const isSigned = http.deliveryMode === 'signed';
  // A private file of a service that is open to everyone has a signed URL too.
  if (raw.startsWith(SIGNATURE_START) && (isSigned || !services.deliveryRules.isOpen)) {
    const signed = readDeliveryUrl(readSignedUrl(raw, verifyingSecrets(auth), limits).raw, limits);
    return { delivery: signed, admit: createSignedAdmission(request, reply, services)?.admit };
  }
  if (isSigned) {
    await requireRead(request, reply, services, signatureRequired());
    return { delivery: readDeliveryUrl(raw, limits) };
  }
  const delivery = readDeliveryUrl(raw, limits);
  const files = createFileAdmission(request, reply, services, delivery);
  return { delivery, admit: files && ((path) => files.admit(path, 'variant')) };
}

/**
 * Requires a key with the permission `read`, or a session.
 * @param refusal the error of a request without credentials. That of a disabled space is also for those that do not
 * suffice
 */
export async function requireRead(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  refusal: HttpProblem,
): Promise<void> {
  if (!presentsCredentials(request.headers)) throw refusal;
  const refuse = (error: unknown): never => {
    const isForbidden = error instanceof HttpProblem && error.status === 403;
    throw isForbidden && refusal.code === 'space_disabled' ? refusal : error;
  };
  await requirePermission(services, 'read')(request, reply).catch(refuse);
}

/**
 * The client that a request is charged to. A key or a session that may enter its space may be presented where none is
 * required, too.
 */
async function payerOf(request: FastifyRequest, { sessions, keyring }: Services): Promise<Client> {
  if (typeof recallSession(request.headers, sessions, spaceOf(request)) === 'string') return TRUSTED;
  const holder = await verifyPresentedKey(request, keyring);
  if (holder && 'space' in holder && ['', spaceOf(request)].includes(holder.space)) return TRUSTED;
  return clientOf(request);
}

/** @throws HttpProblem as `readSignedUrl`, and 429 */
async function requireSigned(
  request: FastifyRequest,
  rest: string,
  { config: { auth, limits } }: Services,
  countRefusal: RateLimiter['countRefusal'],
): Promise<SignedUrl> {
  try {
    return readSignedUrl(rest, verifyingSecrets(auth), limits);
  } catch (error) {
    if (error instanceof HttpProblem && error.status < 500) await countRefusal(request.raw);
    throw error;
  }
}

/** Caches must not store a response beyond the validity of its URL. */
function admitSigned(rest: string, { raw, expires }: SignedUrl, services: Services): Omit<DeliveryPermit, 'client'> {
  const { auth, limits, http } = services.config;
  const delivery = readDeliveryUrl(raw, limits);
  const isStatusSigned = http.deliveryMode === 'signed' || !services.deliveryRules.isOpen;
  const status = isStatusSigned ? { statusUrl: STATUS + rest } : {};
  // The signature was checked with it.
  const secret = auth.secret as string;
  const uriOf = (other: string) =>
    upFrom(rest) + signDeliveryUrl(other, { secret, limits, expires }).slice(SIGNED.length);
  return { delivery, uriOf, ...status, ...termsUntil(expires, http.cacheControl) };
}

/** The caching terms of a response. */
function termsUntil(
  expires: number | undefined,
  cacheControl: string,
): Pick<DeliveryPermit, 'cacheControl' | 'isForEveryone'> {
  if (expires === undefined) return { cacheControl, isForEveryone: true };
  const seconds = Math.max(0, expires - Math.floor(Date.now() / 1000));
  return { cacheControl: `private, max-age=${seconds}`, isForEveryone: false };
}

/**
 * The relative URI from a URL to the start of its prefix, at any depth.
 * @param rest what follows the prefix
 */
function upFrom(rest: string): string {
  return '../'.repeat(rest.split('/').length - 1);
}
