import { z } from 'zod';
import type { Within } from '../db/locks.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Log } from '../log.ts';
import type { ClaimedChange, Members } from './members.ts';
import { connectIdentity, createUser, findUser, hasIdentity, type Identity, type SignedIn } from './oidc-accounts.ts';
import { type Claims, createOidcClient, type OidcClientSettings } from './oidc-client.ts';
import { OidcFailure } from './oidc-failure.ts';
import { type ClaimedRoleSettings, rolesOfClaims } from './oidc-roles.ts';
import { createSignInStates, SIGN_IN_MS, type SignInState } from './oidc-state.ts';
import type { UsedCodes } from './used-codes.ts';

/** Cookie of a sign-in in progress. */
export const OIDC_COOKIE = 'darkroom.oidc';

export interface OidcSettings extends OidcClientSettings, ClaimedRoleSettings {
  /** Name of the identity provider, for people. */
  name: string;
}

export interface OidcOptions {
  database: Pick<OpenDatabase, 'db'>;
  members: Pick<Members, 'setClaimedRoles'>;
  usedCodes: UsedCodes;
  /** Secret of this installation; throws 503 while it cannot be read. */
  secret: () => string;
  log: Log;
}

/** Response of the identity provider, with what its browser has. */
export interface Callback {
  /** Query of the URL. */
  search: string;
  /** Value of the cookie that `begin` returned. */
  sealed: string | undefined;
  /** User of the session of the browser, if it has one. */
  currentUser(): Promise<string | undefined>;
  /** Called with the user in the transaction that connects an identity. */
  onConnect: Within<string>;
  /** Called in the transaction that changes roles of the user. */
  onRoles: Within<readonly ClaimedChange[]>;
}

/** Result of a callback: its user, or the reason of its failure. */
export type Completed = {
  /** Path below the dashboard. */
  to: string;
  /** True where an identity was to be connected with an account. */
  isConnecting: boolean;
  /** Space at whose host the sign-in began; undefined for that of the installation. */
  space?: string | undefined;
} & ((SignedIn & { failure?: undefined }) | { failure: OidcFailure });

export type Oidc = ReturnType<typeof createOidc>;

/** Sign-in through an identity provider with OpenID Connect: code flow with PKCE, state and nonce. */
export function createOidc(settings: OidcSettings, options: OidcOptions) {
  const { log } = options;
  const client = createOidcClient(settings);
  const states = createSignInStates(options.secret);
  const needed = ['email', ...(settings.roles.length > 0 ? [settings.rolesClaim] : [])];

  async function complete(state: SignInState, callback: Callback): Promise<SignedIn> {
    const { search, currentUser, onConnect, onRoles } = callback;
    if (!isStateOf(state, search)) throw new OidcFailure('sign_in_expired');
    // A code is exchanged once: each exchange is a request to the identity provider.
    const isFirst = await options.usedCodes.claim(`oidc ${state.state}`, SIGN_IN_MS);
    if (!isFirst) throw new OidcFailure('sign_in_expired');
    const claims = await client.claims(search, state, needed);
    const { userId } = state;
    if (userId === undefined) return signIn(claims, settings, options, onRoles);
    if ((await currentUser()) !== userId) throw new OidcFailure('sign_in_expired');
    await connectIdentity(options.database.db, identityOf(claims), userId, onConnect);
    return { userId, isNew: false };
  }

  return {
    name: settings.name,

    /** True if an account is connected with an identity of this provider. */
    isConnected: (userId: string) => hasIdentity(options.database.db, settings.issuer, userId),

    /**
     * Begins a sign-in.
     * @param begun.userId connects the identity with this account
     * @returns the URL at which the person signs in, and a sealed state for the browser
     * @throws OidcFailure when the identity provider is unavailable
     */
    async begin(begun: Pick<SignInState, 'redirectUri' | 'to' | 'userId' | 'space'>) {
      const checks = await client.createChecks(begun.redirectUri);
      const url = await client.authorizationUrl(checks).catch((error: unknown) => {
        log.warn({ reason: describe(error) }, 'the identity provider is unavailable');
        throw error;
      });
      return { url, sealed: await states.seal({ ...begun, ...checks }) };
    },

    /** Completes a sign-in. Refusals are in its result; other errors, of the database for example, are thrown. */
    async complete(callback: Callback): Promise<Completed> {
      const state = callback.sealed === undefined ? undefined : await states.open(callback.sealed);
      if (state === undefined) return { to: '/', failure: new OidcFailure('sign_in_expired'), isConnecting: false };
      const result = { to: state.to, isConnecting: state.userId !== undefined, space: state.space };
      try {
        return { ...result, ...(await complete(state, callback)) };
      } catch (failure) {
        if (!(failure instanceof OidcFailure)) throw failure;
        log.warn({ reason: describe(failure) }, 'a sign-in through the identity provider failed');
        return { ...result, failure };
      }
    },
  };
}

/** Signs a person in: a known one, or a new one with a role and a free address. */
async function signIn(
  claims: Claims,
  settings: OidcSettings,
  options: OidcOptions,
  onRoles: Callback['onRoles'],
): Promise<SignedIn> {
  const { database, members } = options;
  const identity = identityOf(claims);
  const spaces = await database.db.selectFrom('space').select('id').execute();
  const roles = rolesOfClaims(claims, settings).filter(
    ({ space }) => space === '' || spaces.some(({ id }) => id === space),
  );
  const known = await findUser(database.db, identity);
  if (known === undefined && roles.length === 0) throw new OidcFailure('no_role');
  const signedIn =
    known === undefined ? await createUser(database.db, identity, newUserOf(claims)) : { userId: known, isNew: false };
  if (!(await members.setClaimedRoles(signedIn.userId, roles, onRoles))) throw new OidcFailure('no_role');
  return signedIn;
}

function identityOf({ iss, sub }: Claims): Identity {
  return { issuer: iss, subject: sub };
}

const address = z.email().max(254);
const name = z.string().trim().min(1).max(100);

/** @throws OidcFailure for an address that is missing or not verified */
function newUserOf(claims: Claims) {
  const email = address.safeParse(claims.email).data;
  if (email === undefined) throw new OidcFailure('email_missing');
  // Some identity providers write it as text, and some have only verified addresses and do not say so.
  if (String(claims.email_verified) === 'false') throw new OidcFailure('email_not_verified');
  const names = [claims.name, claims.preferred_username].map((claim) => name.safeParse(claim).data);
  return {
    email,
    name: names.find((one) => one !== undefined) ?? email.slice(0, 100),
    isVerified: String(claims.email_verified) === 'true',
  };
}

function isStateOf({ state }: SignInState, search: string): boolean {
  const received = new URLSearchParams(search).getAll('state');
  return received.length === 1 && received[0] === state;
}

/** Messages of an error and its causes, without their data: those may be tokens. */
function describe(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error && messages.length < 5; { cause } = cause)
    messages.push(cause.message);
  return messages.join(': ');
}
