import { ensureAdmin } from '../auth/accounts.ts';
import { createAuth, createAuthOnce } from '../auth/auth.ts';
import { createKeyRows } from '../auth/key-rows.ts';
import { createKeyring } from '../auth/keyring.ts';
import { createKnownClients } from '../auth/known-clients.ts';
import { OwnAccount } from '../auth/own-account.ts';
import { createPasswords } from '../auth/passwords.ts';
import { RememberedKeyRows } from '../auth/remembered-key-rows.ts';
import { Sessions } from '../auth/sessions.ts';
import { createSetup, type SetupNodes } from '../auth/setup.ts';
import { SignInBackoff } from '../auth/sign-in-backoff.ts';
import { SIGN_IN_WINDOW_MS, SignInTries } from '../auth/sign-in-tries.ts';
import type { Config } from '../config.ts';
import { createRequestWindows } from '../db/request-windows.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Changes } from './changes.ts';

export interface AccessParts {
  database: OpenDatabase;
  cluster: SetupNodes;
  changes: Changes;
  /** Secret of this installation; throws 503 while it cannot be read. */
  secret: () => string;
}

/** Creates accounts, sessions and keys, with those from the environment. */
export async function createAccess(
  { auth: settings, http }: Config,
  { database, cluster, changes, secret }: AccessParts,
) {
  const passwords = createPasswords({ maxQueued: settings.maxQueuedSignIns });
  const { db, whenAvailable } = database;
  const auth = createAuthOnce(() => createAuth({ db, secret: secret(), passwords, baseUrl: http.publicUrl }));
  // Other processes may change keys in a file, and cannot notify this one.
  const rows = database.dialect === 'sqlite' ? createKeyRows(database) : new RememberedKeyRows({ database });
  const keyring = createKeyring({ database, rows, onChange: changes.access });
  await whenAvailable(async () => {
    // Created now, so that no request has to wait for it.
    void auth.api;
    if (settings.firstKey !== undefined) await keyring.storeEnvironmentKey(settings.firstKey);
    if (settings.admin) await ensureAdmin({ db, passwords, ...settings.admin });
  });
  const sessions = new Sessions(auth);
  const known = createKnownClients(database, { secret, ...settings.knownClients });
  const shared = database.dialect === 'postgres' ? createRequestWindows(db, SIGN_IN_WINDOW_MS) : undefined;
  return {
    auth,
    keyring,
    sessions,
    account: new OwnAccount({ database, passwords, onChange: changes.access }),
    /** Evicts cached keys and sessions. */
    forgetAccess() {
      rows.forget();
      sessions.forget();
    },
    /** Marks cached keys and sessions stale; keys stay valid until the database is available. */
    doubtAccess() {
      rows.doubt();
      sessions.forget();
    },
    closeAccess: () => rows.close(),
    signInTries: new SignInTries({ shared }),
    signInBackoff: new SignInBackoff({ maxFailures: settings.maxSignInFailures, known }),
    setup: createSetup(database, passwords, cluster),
  };
}
