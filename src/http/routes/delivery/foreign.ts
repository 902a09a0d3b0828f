import type { Refusal } from '@darkroom/url-translators/refusal';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, notFound } from '../../../errors.ts';
import type { Meaning } from '../../../library/compat/meaning.ts';
import { mediaTypeOf } from '../../../media.ts';
import { quote } from '../../../path.ts';
import type { admitForeign } from '../../admission/delivery-mode.ts';
import type { RouteContext } from '../../endpoints/endpoint.ts';
import { leavingSignal } from '../../transport/send.ts';
import { deliverAndSend } from './answer.ts';

/** Maximum length of the headers with notes: proxies refuse long headers. */
const MAX_NOTE = 400;

/** The operation of a URL of another service, but for its name, path and texts. */
export const FOREIGN_OPERATION = {
  tag: 'Delivery',
  media: ['*/*'],
  statuses: [200, 202, 206, 304],
  errors: [401, 403, 404, 412, 416, 422, 503, 507],
} as const;

/** Parsed URL of another service. */
export interface Foreign {
  /** Name of the service, for messages. */
  service: string;
  meaning: Meaning | Refusal;
  /** Access check for the client. */
  admit: typeof admitForeign;
  /** Expiry, in Unix seconds. */
  expires?: number | undefined;
}

/**
 * Serves a URL of another service as `/t/` serves its translation.
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
  const delivery = { path, type: mediaTypeOf(path), segment, transformation };
  const permit = await admit(request, reply, context.services, delivery, expires);
  await permit.files?.admit(path, transformation ? 'variant' : 'original');
  // After the access check, so that a refused request fetches nothing.
  const exists = meaning.isFound || (await context.services.fetchMissing?.(path, leavingSignal(reply.raw)));
  if (!exists) throw notFound(`There is no file for the name ${quote(path)}.`, 'file_not_found');
  const foreign = { headers: notesOf(meaning), isStill };
  await deliverAndSend({ ...permit, foreign }, request, reply.raw, context);
}

/** Headers with the differences from the other service's result, if any. */
function notesOf({ ignored, approximate }: Meaning): Record<string, string> {
  const similar = approximate.map(({ part, reason }) => `${part} (${reason})`);
  return {
    ...(ignored.length > 0 && { 'Darkroom-Ignored': headerText(ignored.join(', ')) }),
    ...(similar.length > 0 && { 'Darkroom-Approximate': headerText(similar.join(', ')) }),
  };
}

/** Escapes to ASCII and truncates. */
function headerText(text: string): string {
  const ascii = text.replace(/[^\x20-\x7e]/g, '?');
  return ascii.length > MAX_NOTE ? `${ascii.slice(0, MAX_NOTE)}...` : ascii;
}
