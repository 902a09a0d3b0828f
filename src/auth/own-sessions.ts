import { createAuthEndpoint } from '@better-auth/core/api';
import { APIError } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { z } from 'zod';
import { spaceOfChallenge, userOfChallenge } from './second-factor.ts';

/** Begins and describes sessions for the service. Its endpoints have no path, so no request can reach them. */
export function ownSessions() {
  return {
    id: 'own-sessions',
    endpoints: {
      /** Begins a session of a user, whom the caller has identified. */
      startSession: createAuthEndpoint.serverOnly(
        { method: 'POST', body: z.object({ userId: z.string() }), requireHeaders: true },
        async (context) => {
          const { internalAdapter } = context.context;
          const user = await internalAdapter.findUserById(context.body.userId);
          const session = user && (await internalAdapter.createSession(user.id));
          if (!session) throw new APIError('UNAUTHORIZED', { message: 'The account does not exist' });
          await setSessionCookie(context, { session, user });
          return context.json({ user: { id: user.id, name: user.name } });
        },
      ),
      /**
       * Finds the address of the account whose password was correct, and whose code is expected, and the space to which
       * the session will be restricted; null for none.
       */
      findChallenged: createAuthEndpoint.serverOnly({ method: 'POST', requireHeaders: true }, async (context) => {
        const id = await userOfChallenge(context);
        const user = id === undefined ? null : await context.context.internalAdapter.findUserById(id);
        return context.json({ email: user?.email ?? null, space: (await spaceOfChallenge(context)) ?? null });
      }),
    },
  };
}
