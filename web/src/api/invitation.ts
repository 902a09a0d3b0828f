import { queryOptions } from '@tanstack/react-query';
import { forgetAccess } from './access.ts';
import { call } from './call.ts';
import type { Answers } from './types.ts';

/** What an invitation offers. */
export type Terms = Answers['describeInvitation'];

/** Terms of the invitation with a token. Wrong tokens count as sign-ins, so none is sent twice without being asked. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) =>
      call('describeInvitation', 'api/auth/invitation', { method: 'POST', json: { token }, signal }),
    enabled: token !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });

export interface NewPerson {
  name: string;
  email: string;
  password: string;
}

/**
 * Accepts an invitation, for a new person, whose session begins, or for the one who is signed in. The page has to be
 * loaded anew.
 * @throws ApiError 400 for another address, 403, 404, 409 for an address with an account
 */
export async function acceptInvitation(token: string, person?: NewPerson): Promise<void> {
  await call('acceptInvitation', 'api/auth/invitation/accept', { method: 'POST', json: { token, ...person } });
  forgetAccess();
}
