import { queryOptions } from '@tanstack/react-query';
import { accessChanged, forgetAccess } from './access.ts';
import { call } from './call.ts';
import { queryClient } from './query-client.ts';
import { sessionFound } from './session-state.ts';

const SIGNED_IN = 'darkroom-signed-in';

/** The current session; null when signed out. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await call('getSession', 'api/auth/get-session', { signal });
    remember(session !== null);
    return session;
  },
  staleTime: 60_000,
});

/** True if the last check found a session: requests may then start before the session is confirmed. */
export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(SIGNED_IN) !== null;
  } catch {
    return false;
  }
}

function remember(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(SIGNED_IN, '1');
    else localStorage.removeItem(SIGNED_IN);
  } catch {
    // Without storage every visit checks the session first.
  }
  // The next person may have other rights.
  if (!isSignedIn) forgetAccess();
}

/** Setup state: whether the first account is missing. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call('getSetup', 'api/auth/setup', { signal }),
});

/**
 * Signs in with a password.
 * @returns `code` if the account has a second factor: there is no session before a code
 * @throws ApiError 401 for a wrong password, 429 after too many attempts
 */
export async function signIn(email: string, password: string): Promise<'done' | 'code'> {
  const answer = await call('signIn', 'api/auth/sign-in/email', { method: 'POST', json: { email, password } });
  if ('twoFactorRedirect' in answer) return 'code';
  await signedIn();
  return 'done';
}

/** Continues after the set-up, which has begun a session where passwords do not sign in. */
export async function enterNewAccount(email: string, password: string): Promise<void> {
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (session === null) await signIn(email, password);
  else await signedIn();
}

/** Continues with the session that has just begun: reads the account and its rights, and repeats waiting requests. */
export async function signedIn(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  sessionFound();
  await accessChanged();
}

/** Ends the session and drops all cached data. */
export async function signOut(): Promise<void> {
  await call('signOut', 'api/auth/sign-out', { method: 'POST', json: {} });
  remember(false);
  queryClient.clear();
}

/** Creates the only account with the setup token printed at start. @throws ApiError */
export async function createAccount(account: {
  token: string;
  name: string;
  email: string;
  password: string;
}): Promise<void> {
  await call('createFirstAccount', 'api/auth/setup', { method: 'POST', json: account });
  queryClient.removeQueries({ queryKey: setupQuery.queryKey });
}
