import { queryOptions } from '@tanstack/react-query';
import { dashboardOf, dashboardPath } from './base.ts';
import { call } from './call.ts';
import type { Answers } from './types.ts';

export type SignInMethods = Answers['getSignInMethods'];

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in methods'],
  queryFn: ({ signal }) => call('getSignInMethods', 'api/auth/methods', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Path of a page below the dashboard of the installation, as the service names it. @param to path of the router */
const pageOf = (to: string) => dashboardPath.slice(dashboardOf(undefined).length - 1) + to;

/**
 * Begins a sign-in through the identity provider.
 * @param to page of this dashboard to continue with
 * @returns URL of the identity provider
 */
export async function beginOidcSignIn(to: string): Promise<string> {
  const { url } = await call('signInWithOidc', 'api/auth/sign-in/oidc', { method: 'POST', json: { to: pageOf(to) } });
  return url;
}

/** True if the account is connected with an identity of the provider. */
export const oidcConnectionQuery = queryOptions({
  queryKey: ['sign-in methods', 'connection'],
  queryFn: async ({ signal }) => (await call('getOidcConnection', 'api/auth/oidc/connect', { signal })).connected,
});

/** Begins to connect the account with an identity. @returns URL of the identity provider */
export async function beginOidcConnection(to: string): Promise<string> {
  const { url } = await call('connectOidc', 'api/auth/oidc/connect', { method: 'POST', json: { to: pageOf(to) } });
  return url;
}
