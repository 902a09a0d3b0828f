import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import { deriveKey } from './signature.ts';

/** Time for a person to sign in at the identity provider. */
export const SIGN_IN_MS = 600_000;

const schema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  /** Path below the dashboard. */
  to: z.string(),
  /** Account that the identity is connected to; absent for a sign-in. */
  userId: z.string().optional(),
  /** Space at whose host the sign-in began, to which its session is restricted; absent at that of the installation. */
  space: z.string().optional(),
  /** Unix milliseconds. */
  expiresAt: z.number(),
});

/** A sign-in that has begun. Its browser holds it, so that anonymous clients cannot fill the database. */
export type SignInState = z.output<typeof schema>;

export interface SignInStates {
  seal(state: Omit<SignInState, 'expiresAt'>): Promise<string>;
  /** Undefined for a text that was not sealed here, or has expired. */
  open(sealed: string): Promise<SignInState | undefined>;
}

/** @param secret of the installation; throws 503 while it cannot be read */
export function createSignInStates(secret: () => string): SignInStates {
  let key: string | undefined;
  const getKey = () => (key ??= deriveKey(secret(), 'oidc-state').toString('base64url'));
  return {
    seal: (state) =>
      symmetricEncrypt({ key: getKey(), data: JSON.stringify({ ...state, expiresAt: Date.now() + SIGN_IN_MS }) }),

    async open(sealed) {
      const data = await symmetricDecrypt({ key: getKey(), data: sealed }).catch(() => '');
      const state = schema.safeParse(parseJson(data)).data;
      return state !== undefined && state.expiresAt > Date.now() ? state : undefined;
    },
  };
}
