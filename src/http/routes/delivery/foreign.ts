import type { Refusal } from '@darkroom/url-translators/refusal';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, notFound } from '../../../errors.ts';
import type { Meaning } from '../../../library/compat/meaning.ts';
import { mediaTypeOf } from '../../../media.ts';
import { quote } from '../../../path.ts';
import type { admitForeign } from '../../admission/delivery-mode.ts';
import type { RouteContext } from '../../endpoints/context.ts';
import { leavingSignal } from '../../transport/send.ts';
import { deliverAndSend } from './answer.ts';

/** Headers that a proxy may not take are worse than notes that are cut short. */
const MAX_NOTE = 400;

/** A URL of another service, read. */
export interface Foreign {
  /** Whose it is, for people. */
  service: string;
  meaning: Meaning | Refusal;
  /** What lets a visitor have it. */
  admit: typeof admitForeign;
  /** The Unix second after which it is no longer good. */
  expires?: number | undefined;
}

/**
 * Answers a URL of another service in place, as `/t/` answers the one that it means.
 * @throws HttpProblem 400 for what has no counterpart, 404, and as `Deliver`
 */
export async function deliverForeign(
  { service, meaning, admit, expires }: Foreign,
  request: FastifyRequest,
  reply: FastifyReply,
  context: RouteContext,
): Promise<void> {
  if (meaning.kind === 'refused') {
    const { part, reason } = meaning;
    const message = `Expected a URL of ${service} with a counterpart here, received ${quote(part)}: ${reason}.`;
    throw badRequest(message, 'untranslatable');
  }
  const { path, segment, transformation, isStill } = meaning;
  const wanted = { path, type: mediaTypeOf(path), segment, transformation };
  const permit = await admit(request, reply, context.services, wanted, expires);
  // Only now: who may not have the file has nothing fetched.
  const isThere = meaning.isFound || (await context.services.fetchMissing?.(path, leavingSignal(reply.raw)));
  if (!isThere) throw notFound(`There is no file for the name ${quote(path)}.`, 'file_not_found');
  const foreign = { headers: notesOf(meaning), isStill };
  await deliverAndSend({ ...permit, foreign }, request, reply.raw, context);
}

/** What differs from the answer of the other service, where something does. */
function notesOf({ ignored, approximate }: Meaning): Record<string, string> {
  const similar = approximate.map(({ part, reason }) => `${part} (${reason})`);
  return {
    ...(ignored.length > 0 && { 'Darkroom-Ignored': headerText(ignored.join(', ')) }),
    ...(similar.length > 0 && { 'Darkroom-Approximate': headerText(similar.join(', ')) }),
  };
}

/** As ASCII, cut where it is too long. */
function headerText(text: string): string {
  const ascii = text.replace(/[^\x20-\x7e]/g, '?');
  return ascii.length > MAX_NOTE ? `${ascii.slice(0, MAX_NOTE)}...` : ascii;
}
