import { createHash, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { derive } from './derive.ts';

type FingerprintedSettings = Pick<ReturnType<typeof derive>, 'auth' | 'storage' | 'http' | 'limits' | 'compat'>;

const deriveKey = promisify<string, string, number, Buffer>(scrypt);

/** In bytes. */
const DERIVED_LENGTH = 16;

/** Returns hashes of the settings that decide what a URL answers, by the name of their variable. */
export async function fingerprintsOf({
  auth,
  storage,
  http,
  limits,
  compat,
}: FingerprintedSettings): Promise<Record<string, string>> {
  const { bucket = '', prefix = '' } = storage.kind === 's3' ? storage : {};
  // A reader of the database must not be able to guess the secret by a dictionary attack.
  const derive = async (secret: string) =>
    (await deriveKey(secret, `${bucket}/${prefix}`, DERIVED_LENGTH)).toString('base64url');
  // Settings without a value are equal, and a derivation takes a processor for a twentieth of a second.
  const hidden = new Map<string, Promise<string>>();
  const hide = (secret: string) => {
    const known = hidden.get(secret) ?? derive(secret);
    hidden.set(secret, known);
    return known;
  };
  return {
    API_SECRET: await hide(auth.secret ?? ''),
    API_SECRET_OLD: await hide(JSON.stringify(auth.replacedSecrets.map(({ secret }) => secret))),
    STORAGE_BUCKET_NAME: hashOf(bucket),
    STORAGE_PREFIX: hashOf(prefix),
    DELIVERY_MODE: hashOf(http.deliveryMode),
    PRESETS: hashOf(limits.presets),
    COMPAT: hashOf([compat.cloudinary, compat.imgproxy !== undefined]),
    IMGPROXY_KEY: await hide(JSON.stringify(compat.imgproxy?.keys ?? [])),
    ...(await fingerprintsOfSignIn(auth.signIn, hide)),
    EXTRA_TYPES: hashOf(limits.documents.toSorted()),
    MAX_INPUT_MEGAPIXELS: hashOf(limits.inputMegapixels),
    MAX_ANIMATION_FRAMES: hashOf(limits.animationFrames),
    MAX_ANIMATION_MEGAPIXELS: hashOf(limits.animationMegapixels),
    MAX_OUTPUT_SIDE: hashOf(limits.outputSide),
    MAX_OUTPUT_MEGAPIXELS: hashOf(limits.outputMegapixels),
    MAX_WEBP_MEGAPIXELS: hashOf(limits.formatMegapixels.webp),
    MAX_AVIF_MEGAPIXELS: hashOf(limits.formatMegapixels.avif),
    MAX_GIF_MEGAPIXELS: hashOf(limits.formatMegapixels.gif),
    MAX_VIDEO_OUTPUT_SIDE: hashOf(limits.videoOutput.side),
    MAX_VIDEO_OUTPUT_MEGAPIXELS: hashOf(limits.videoOutput.pixels),
  };
}

/** A node with another identity provider would take people for others, or give them other roles. */
async function fingerprintsOfSignIn(
  { password, oidc }: FingerprintedSettings['auth']['signIn'],
  hide: (secret: string) => Promise<string>,
): Promise<Record<string, string>> {
  return {
    PASSWORD_SIGN_IN: hashOf(password),
    OIDC_ISSUER: hashOf(oidc?.issuer ?? ''),
    OIDC_CLIENT_ID: hashOf(oidc?.clientId ?? ''),
    OIDC_CLIENT_SECRET: await hide(oidc?.clientSecret ?? ''),
    OIDC_NAME: hashOf(oidc?.name ?? ''),
    OIDC_SCOPES: hashOf(oidc?.scopes ?? ''),
    OIDC_ROLES_CLAIM: hashOf(oidc?.rolesClaim ?? ''),
    OIDC_ROLES: hashOf(oidc?.roles ?? []),
    OIDC_DEFAULT_ROLE: hashOf(oidc?.defaultRole ?? ''),
  };
}

function hashOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, part) => (part instanceof Map ? [...part] : part));
  return createHash('sha256').update(text).digest('base64url');
}
