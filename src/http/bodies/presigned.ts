import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkUpload, signUpload as signText, verifyingSecrets } from '../../auth/signature.ts';
import { type Client, TRUSTED } from '../../client.ts';
import type { Config } from '../../config.ts';
import { badRequest, type ErrorCode, HttpProblem } from '../../errors.ts';
import type { Services } from '../../library-services.ts';
import { parseNewPath, quote, uploadFolder } from '../../path.ts';
import { configIn, type RequestSpace } from '../../spaces/rules.ts';
import type { Space } from '../../spaces/space.ts';
import { noteActor } from '../admission/actor.ts';
import { callerOf } from '../admission/caller.ts';
import { clientOf } from '../admission/client-address.ts';
import { presentedKey } from '../admission/credentials.ts';
import { requirePermission } from '../admission/guards.ts';
import { enter, enterRequest } from '../admission/space.ts';
import type { FormFields } from './multipart.ts';

const DEFAULT_EXPIRES_IN = 300;

/** Maximum by which the clock of a signer may be ahead: another node, or a server of the operator. */
const CLOCK_SKEW_SECONDS = 60;

/**
 * Signs the right to upload into a folder, for an untrusted client. `expires` is in Unix seconds. The signature of a
 * space names it.
 * @param expiresIn seconds, clamped between 1 and the configured maximum
 * @throws HttpProblem 500 without a secret to sign with, 400 for a bad folder
 */
export function signUpload({ auth }: Services['config'], folder = '', expiresIn = DEFAULT_EXPIRES_IN, space?: Space) {
  const secret = requireSecret(auth.secret);
  const path = parseNewPath(folder);
  const seconds = Math.min(Math.max(1, Math.floor(expiresIn)), auth.signatureMaxSeconds);
  const expires = Math.floor(Date.now() / 1000) + seconds;
  const hex = signText({ folder: path, expires }, secret);
  const signature = space ? space.id + SPACE_END + hex : hex;
  return { success: true, signature, expires, folder: path };
}

/** Follows the id of the space in a signature. */
const SPACE_END = '.';

/** The services of a request, and those of other spaces. */
export interface UploadPlaces {
  services: Services;
  servicesIn(within: RequestSpace): Services;
}

export interface Admission {
  /** Client that the upload is charged to. An untrusted one has to prove by its fields that the upload is allowed. */
  client: Client;
  /** True for credentials with the permission to read. */
  mayRead: boolean;
  /** False if no signature can be valid: then the files of the body are dropped as they arrive. */
  keepsFiles: boolean;
  /**
   * True if the fields that have arrived prove it already.
   * @throws HttpProblem, PresignedRefusal when it never will
   */
  judgeBegun(form: FormFields): boolean;
  /** @throws HttpProblem, PresignedRefusal when the fields do not admit the upload */
  judge(form: FormFields): void;
  /** The services that store the upload, once it was judged: a signature may name another space than the request. */
  readonly services: Services;
}

/**
 * Admits an upload by its key. Without a key, the body is received first and its signature is checked then. A presented
 * key has to be valid.
 */
export async function admitUpload(
  request: FastifyRequest,
  reply: FastifyReply,
  places: UploadPlaces,
): Promise<Admission> {
  const { services } = places;
  try {
    await requirePermission(services, 'upload')(request, reply);
    const mayRead = callerOf(request).permissions.includes('read');
    return { client: TRUSTED, mayRead, keepsFiles: true, judgeBegun: () => true, judge: () => undefined, services };
  } catch (error) {
    const isAnonymous = presentedKey(request.headers) === undefined;
    if (!isAnonymous || !(error instanceof HttpProblem) || error.status !== 401) throw error;
    return admitByForm(request, places, error);
  }
}

/**
 * A signature is checked once everything that it signs has arrived: at a file after it, or at the end.
 * @param unsigned the refusal of a request without one
 */
function admitByForm(
  request: FastifyRequest,
  { services, servicesIn }: UploadPlaces,
  unsigned: HttpProblem,
): Admission {
  const { config, spaces } = services;
  const entered = request.within;
  // A signature stays valid when it expires while the files arrive.
  let proven: string | undefined;
  let storing = services;
  const claimOf = (form: FormFields) => JSON.stringify(SIGNED_FIELDS.map((name) => lastOf(form, name)));
  const check = (form: FormFields) => {
    if (proven === claimOf(form)) return;
    const { hex, id } = splitSignature(lastOf(form, 'signature'));
    const space = id === undefined ? undefined : spaces.find(id);
    checkForm(form, hex, secretsOf(config, id, space), config.auth.signatureMaxSeconds);
    const within = space && space !== entered?.space ? enter(space, 'prefix') : entered;
    enterRequest(request, within);
    storing = within && within !== entered ? servicesIn(within) : services;
    // Not before: a refused entrance must not be forgotten.
    proven = claimOf(form);
    noteActor(request, { type: 'signature', id: null, name: null });
  };
  // Without a folder the upload goes to the root, unless a folder comes after the files.
  const isAdmitted = (form: FormFields) => {
    try {
      check(form);
      return true;
    } catch {
      return false;
    }
  };
  return {
    client: clientOf(request),
    mayRead: false,
    keepsFiles: config.auth.secret !== undefined || spaces.size > 0,
    get services() {
      return storing;
    },
    judgeBegun(form) {
      if (!form.has('signature') || !form.has('expires')) return false;
      if (form.has('folder')) check(form);
      else if (!isAdmitted(form)) return false;
      return true;
    },
    judge(form) {
      if (!form.has('signature')) throw unsigned;
      check(form);
    },
  };
}

/** Splits the signature of a space into its id and its hexadecimal digits. */
function splitSignature(signature: string): { hex: string; id: string | undefined } {
  const end = signature.indexOf(SPACE_END);
  return end < 0 ? { hex: signature, id: undefined } : { hex: signature.slice(end + 1), id: signature.slice(0, end) };
}

/**
 * Returns the secrets that verify a signature: those of the space that it names, or else of where it was sent. An
 * unknown space has none.
 * @throws HttpProblem 500 without a secret where it was sent
 */
function secretsOf(config: Config, id: string | undefined, space: Space | undefined): string[] {
  if (id !== undefined) return space ? verifyingSecrets(configIn(config, space, 'prefix').auth) : [];
  requireSecret(config.auth.secret);
  return verifyingSecrets(config.auth);
}

const SIGNED_FIELDS = ['signature', 'expires', 'folder'] as const;

function lastOf(form: FormFields, name: string): string {
  return form.get(name)?.at(-1) ?? '';
}

/** A signature that does not admit an upload; its response has its own format. */
export class PresignedRefusal extends Error {
  override name = 'PresignedRefusal';
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode) {
    super(message);
    this.code = code;
  }
}

/**
 * @param signature its hexadecimal digits
 * @param maxSeconds maximum time until a signature expires, from any signer
 */
function checkForm(form: FormFields, signature: string, secrets: readonly string[], maxSeconds: number): void {
  const expires = lastOf(form, 'expires');
  const folder = lastOf(form, 'folder');
  if (!/^\d{1,15}$/.test(expires)) throw malformed(`Expected Unix seconds in "expires", received ${quote(expires)}.`);
  // The folder may be signed as it is written here, or as it is stored.
  const folders = new Set([folder, uploadFolder(folder)]);
  const verdicts = [...folders].map((written) => checkUpload({ folder: written, expires }, signature, secrets));
  if (verdicts.includes('malformed')) {
    throw malformed(`Expected a "signature" of 16 or 64 hexadecimal digits, received ${quote(signature)}.`);
  }
  if (!verdicts.includes('valid')) {
    throw new PresignedRefusal('Invalid presigned upload signature', 'wrong_signature');
  }
  if (Number(expires) * 1000 <= Date.now()) {
    throw new PresignedRefusal('Presigned upload URL has expired', 'signature_expired');
  }
  if (Number(expires) > Date.now() / 1000 + maxSeconds + CLOCK_SKEW_SECONDS) {
    const message = `Presigned upload URL has to expire at most ${maxSeconds} seconds ahead (SIGNATURE_MAX_EXPIRES_IN)`;
    throw new PresignedRefusal(message, 'expiry_too_far');
  }
}

function malformed(message: string): HttpProblem {
  return badRequest(message, 'malformed_signature', 'Bad request');
}

/** @throws HttpProblem 500 without a secret to sign with */
export function requireSecret(secret: string | undefined): string {
  if (secret !== undefined) return secret;
  throw new HttpProblem('signing_not_configured', 'Signing needs the setting API_SECRET, which is not set.');
}
