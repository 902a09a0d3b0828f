import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { queryClient } from './query-client.ts';
import { sessionFound } from './session-state.ts';

const SIGNED_IN = 'darkroom-signed-in';

/** Who is signed in; null when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await call('getSession', 'api/auth/get-session', { signal });
    remember(session !== null);
    return session;
  },
  staleTime: 60_000,
});

/** Whether somebody was signed in when that was last asked here: more can be asked for beside the session then. */
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
    // Without storage the session is asked for first, as on a first visit.
  }
}

/** Whether the first account is still to be made. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call('getSetup', 'api/auth/setup', { signal }),
});

/** @throws ApiError 401 for a wrong password, 429 after too many tries */
export async function signIn(email: string, password: string): Promise<void> {
  await call('signIn', 'api/auth/sign-in/email', { method: 'POST', json: { email, password } });
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  sessionFound();
}

/** Ends the session and forgets everything that was read with it. */
export async function signOut(): Promise<void> {
  await call('signOut', 'api/auth/sign-out', { method: 'POST', json: {} });
  remember(false);
  queryClient.clear();
}

/** Makes the one account with the token that the start printed. @throws ApiError */
export async function createAccount(account: {
  token: string;
  name: string;
  email: string;
  password: string;
}): Promise<void> {
  await call('createFirstAccount', 'api/auth/setup', { method: 'POST', json: account });
  queryClient.removeQueries({ queryKey: setupQuery.queryKey });
}
