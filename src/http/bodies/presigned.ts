import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkSignature, signShort } from '../../auth/signature.ts';
import { badRequest, HttpProblem } from '../../errors.ts';
import { parseNewPath, quote, uploadFolder } from '../../path.ts';
import type { Services } from '../../services.ts';
import { presentedKey } from '../admission/credentials.ts';
import { requirePermission } from '../admission/guards.ts';

/** What an untrusted client needs to upload into one folder, for a while. */
export interface PresignedUpload {
  success: true;
  signature: string;
  /** Unix seconds. */
  expires: number;
  folder: string;
}

const DEFAULT_EXPIRES_IN = 300;

/**
 * Signs the right to upload into a folder.
 * @param expiresIn seconds, put between 1 and the configured maximum
 * @throws HttpProblem 500 without a secret to sign with, 400 for a bad folder
 */
export function signUpload({ auth }: Services['config'], folder = '', expiresIn = DEFAULT_EXPIRES_IN): PresignedUpload {
  const secret = requireSecret(auth.secret);
  const path = parseNewPath(folder);
  const seconds = Math.min(Math.max(1, Math.floor(expiresIn)), auth.signatureMaxSeconds);
  const expires = Math.floor(Date.now() / 1000) + seconds;
  return { success: true, signature: signShort(`${path}:${expires}`, secret), expires, folder: path };
}

export interface Admission {
  /** False where the form has to prove that the upload may be. */
  isProven: boolean;
  /** False where no signature can be good: then the files of the form are dropped as they come. */
  keepsFiles: boolean;
  /**
   * Whether what has come of a form proves it already.
   * @throws HttpProblem, PresignedRefusal when it never will
   */
  judgeBegun(form: FormFields): boolean;
  /** @throws HttpProblem, PresignedRefusal when the form does not admit the upload */
  judge(form: FormFields): void;
}

const PROVEN: Admission = { isProven: true, keepsFiles: true, judgeBegun: () => true, judge: () => undefined };

/**
 * Lets an upload in by its key, or without one up to its form: its signature is judged then. A key that is
 * presented has to be good.
 */
export async function admitUpload(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<Admission> {
  try {
    await requirePermission(services, 'upload')(request, reply);
    return PROVEN;
  } catch (error) {
    const isAnonymous = presentedKey(request.headers) === undefined;
    if (!isAnonymous || !(error instanceof HttpProblem) || error.status !== 401) throw error;
    return admitByForm(services.config.auth.secret, error);
  }
}

/** A signature is judged when all that it signs has come: at a file that comes after it, or at the end. */
function admitByForm(secret: string | undefined, unsigned: HttpProblem): Admission {
  // A proof stays one, also when it expires while the files are on their way.
  let proven: string | undefined;
  const claimOf = (form: FormFields) => JSON.stringify(SIGNED_FIELDS.map((name) => lastOf(form, name)));
  const check = (form: FormFields) => {
    if (proven === claimOf(form)) return;
    checkForm(form, requireSecret(secret));
    proven = claimOf(form);
  };
  // Without a folder it is the root, unless one comes after the files.
  const isAdmitted = (form: FormFields) => {
    try {
      check(form);
      return true;
    } catch {
      return false;
    }
  };
  return {
    isProven: false,
    keepsFiles: secret !== undefined,
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

type FormFields = ReadonlyMap<string, readonly string[]>;

const SIGNED_FIELDS = ['signature', 'expires', 'folder'] as const;

function lastOf(form: FormFields, name: string): string {
  return form.get(name)?.at(-1) ?? '';
}

/** A signature that does not open the door; its answer has a form of its own. */
export class PresignedRefusal extends Error {
  override name = 'PresignedRefusal';
}

function checkForm(form: FormFields, secret: string): void {
  const [signature, expires, folder] = [lastOf(form, 'signature'), lastOf(form, 'expires'), lastOf(form, 'folder')];
  if (!/^\d{1,15}$/.test(expires)) throw badRequest(`Expected Unix seconds in "expires", received ${quote(expires)}.`);
  // The folder may be signed as it is written here, or as it is stored.
  const texts = new Set([folder, uploadFolder(folder)]);
  const verdicts = [...texts].map((text) => checkSignature(`${text}:${expires}`, signature, secret));
  if (verdicts.includes('malformed')) {
    throw badRequest(`Expected a "signature" of 16 or 64 hexadecimal digits, received ${quote(signature)}.`);
  }
  if (!verdicts.includes('valid')) throw new PresignedRefusal('Invalid presigned upload signature');
  if (Number(expires) * 1000 <= Date.now()) throw new PresignedRefusal('Presigned upload URL has expired');
}

function requireSecret(secret: string | undefined): string {
  if (secret !== undefined) return secret;
  throw new HttpProblem(500, 'API_SECRET is not configured', 'Signing needs the setting API_SECRET, which is not set.');
}
