import type { IncomingMessage } from 'node:http';
import type { Sessions } from '../../auth/sessions.ts';
import { presentedSession } from './credentials.ts';

/** The name of the session that a request belongs to, if that session was found good lately. It looks nothing up. */
export function provenSession({ headers }: IncomingMessage, sessions: Sessions): string | undefined {
  const presented = presentedSession(headers);
  const known = presented === undefined ? undefined : sessions.recall(presented);
  return known?.isGood ? known.name : undefined;
}

/**
 * Looks up the session of a request whose cookie is not known yet; undefined when there is nothing to wait for.
 * @param isWorth whether the answer would make a difference
 */
export function learnSession(
  request: IncomingMessage,
  sessions: Sessions,
  isWorth: (request: IncomingMessage) => boolean,
): Promise<void> | undefined {
  const presented = presentedSession(request.headers);
  if (presented === undefined || sessions.recall(presented) !== undefined || !isWorth(request)) return undefined;
  return sessions.learn(request.headers.cookie ?? '', presented);
}
