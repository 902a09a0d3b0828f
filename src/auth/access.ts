import { createRequestWindows } from '../db/request-windows.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { HttpProblem } from '../errors.ts';
import type { Log } from '../log.ts';
import { createOwner, type FirstAccount } from './accounts.ts';
import { createAuth, createAuthOnce } from './auth.ts';
import { CachedKeyRows } from './cached-key-rows.ts';
import { createInvitations } from './invitations.ts';
import { createKeyRows } from './key-rows.ts';
import { createKeyring } from './keyring.ts';
import { createKnownClients, type KnownClientsOptions } from './known-clients.ts';
import { createMembers } from './members.ts';
import { createOidc, type OidcSettings } from './oidc.ts';
import { OwnAccount } from './own-account.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import { createPasswords } from './passwords.ts';
import { prepareSessionHolder, prepareSessionPlaces } from './session-holder.ts';
import { Sessions } from './sessions.ts';
import { createSetup, type SetupNodes } from './setup.ts';
import { SignInBackoff } from './sign-in-backoff.ts';
import { SIGN_IN_WINDOW_MS, SignInTries } from './sign-in-tries.ts';
import { createUsedCodes } from './used-codes.ts';

export interface AccessSettings {
  /** API key from the environment. */
  firstKey: string | undefined;
  /** Account from the environment. */
  admin: { email: string; password: string; name: string } | undefined;
  maxQueuedSignIns: number;
  maxSignInFailures: number;
  signIn: {
    password: PasswordSignIn;
    /** Identity provider; undefined without one. */
    oidc: OidcSettings | undefined;
  };
  knownClients: Pick<KnownClientsOptions, 'max' | 'days'>;
}

export interface AccessOptions {
  /** Public base URL of the service. */
  publicUrl: string | undefined;
  database: OpenDatabase;
  nodes: SetupNodes;
  /** Secret of this installation; throws 503 while it cannot be read. */
  secret: () => string;
  /** Called before a change of keys or sessions is acknowledged. */
  onChange: () => Promise<void>;
  log: Log;
}

/** Creates accounts, sessions and keys, with those from the environment. */
export async function openAccess(settings: AccessSettings, options: AccessOptions) {
  const { publicUrl, database, nodes, secret, onChange, log } = options;
  const { db, dialect, whenAvailable } = database;
  const passwords = createPasswords({ maxQueued: settings.maxQueuedSignIns });
  const auth = createAuthOnce(() =>
    createAuth({ db, secret: secret(), passwords, passwordSignIn: settings.signIn.password, baseUrl: publicUrl }),
  );
  // Other processes may change keys in a file, and cannot notify this one.
  const rows = dialect === 'sqlite' ? createKeyRows(database) : new CachedKeyRows({ database });
  const keyring = createKeyring({ database, rows, onChange });
  await whenAvailable(async () => {
    // Created now, so that no request has to wait for it.
    void auth.api;
    if (settings.firstKey !== undefined) await keyring.storeEnvironmentKey(settings.firstKey);
    if (settings.admin) await createConfiguredOwner({ db, passwords, ...settings.admin }, log);
  });
  const sessions = new Sessions(auth, prepareSessionPlaces(database), secret);
  const members = createMembers({ database, onChange });
  const { oidc } = settings.signIn;
  const known = createKnownClients(database, { secret, ...settings.knownClients });
  const signInBackoff = new SignInBackoff({ maxFailures: settings.maxSignInFailures, known });
  return {
    auth,
    keyring,
    sessions,
    findSessionHolder: prepareSessionHolder(database),
    members,
    invitations: createInvitations({ database, passwords, passwordSignIn: settings.signIn.password, onChange }),
    oidc: oidc && createOidc(oidc, { database, members, usedCodes: createUsedCodes(db), secret, log }),
    account: new OwnAccount({ database, passwords, signInBackoff, onChange }),
    signInTries: new SignInTries({
      shared: dialect === 'postgres' ? createRequestWindows(db, SIGN_IN_WINDOW_MS) : undefined,
    }),
    signInBackoff,
    setup: createSetup(database, passwords, nodes),
    /** Cached keys and sessions. */
    caches: {
      evict() {
        rows.clear();
        sessions.clear();
      },
      /** Keys stay valid until the database is available. */
      markStale() {
        rows.markStale();
        sessions.clear();
      },
    },
    close: () => rows.close(),
  };
}

/** An invited person may have taken the address before there was an owner: the start goes on, and so does the set-up. */
async function createConfiguredOwner(account: FirstAccount, log: Log): Promise<void> {
  try {
    await createOwner(account);
  } catch (err) {
    if (!(err instanceof HttpProblem && err.code === 'account_exists')) throw err;
    log.error({ err }, 'ADMIN_EMAIL has an account that is no owner: choose another address, or remove its roles');
  }
}
