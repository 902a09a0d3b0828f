import { z } from 'zod';
import { notFound, unavailable } from '../../errors.ts';
import { type ArchiveItem, archiveSize, createArchive, filesOfItems } from '../../library/archive.ts';
import type { Services } from '../../library-services.ts';
import { requireRead } from '../admission/delivery-mode.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';
import { raw } from '../problem.ts';
import { leavingSignal } from '../transport/send.ts';
import { chosenItems, pathsOf, sendArchive, zipBody } from './download.ts';

const MAX_ITEMS = 10_000;

const ticketParams = z.object({ ticket: z.string() });
const issued = z.object({
  url: z.string().describe('Begins with PUBLIC_URL; with "/download-zip/" if that is not set.'),
  size: z.number().int().min(0).describe('Bytes of the archive, if the files do not change.'),
  entries: z.number().int().min(1).describe('Number of files.'),
  expires: z.number().int().describe('Unix second until which the download can start.'),
});

const tag = 'Download';

/** Archives for browsers: a selection of files becomes a URL, which is valid once. */
export function ticketRoutes(context: RouteContext): readonly Endpoint[] {
  return [issueEndpoint(context.services), redeemEndpoint(context)];
}

function issueEndpoint({ originals: { store }, downloadTickets, config }: Services): Endpoint {
  return defineEndpoint('POST /download-zip/ticket', {
    access: 'read',
    noStore: true,
    openapi: { id: 'createZipTicket', tag, summary: 'Creates a URL for one download of a ZIP.', errors: [404, 503] },
    schemas: { body: zipBody, response: { 200: issued } },
    async handle(request, reply) {
      const items = chosenItems(request.body, MAX_ITEMS);
      const entries = await filesOfItems(store, items, leavingSignal(reply.raw));
      if (entries.length === 0) throw notFound('None of these files exists.', 'no_files_found');
      const { seconds } = downloadTickets;
      const ticket = await downloadTickets.issue(JSON.stringify(items));
      if (ticket === undefined) throw unavailable('Too many tickets wait for their download.', 'overloaded', seconds);
      return {
        url: `${config.http.linkBase}/download-zip/${ticket}`,
        size: await archiveSize(entries),
        entries: entries.length,
        expires: Math.floor(Date.now() / 1000) + seconds,
      };
    },
  });
}

function redeemEndpoint({ services, countForArchive }: RouteContext): Endpoint {
  const { originals, downloadTickets, deliveryRules } = services;
  return defineEndpoint('GET /download-zip/:ticket', {
    access: 'public',
    limit: 'public',
    // HEAD would use up the ticket.
    head: false,
    openapi: {
      id: 'downloadZipByTicket',
      tag,
      summary: 'Downloads the ZIP of a ticket.',
      media: ['application/zip'],
      errors: [401, 403, 404, 503],
    },
    schemas: { params: ticketParams },
    async handle(request, reply) {
      const content = await downloadTickets.redeem(request.params.ticket);
      if (content === undefined) {
        const message = `Ticket not found: it was used or has expired (after ${downloadTickets.seconds} s).`;
        throw notFound(message, 'ticket_not_found');
      }
      const items = JSON.parse(content) as ArchiveItem[];
      const paths = pathsOf(items);
      const refusal = deliveryRules.refusalIfAnyDisabled(paths);
      if (refusal) await requireRead(request, reply, services, refusal);
      await countForArchive(request, paths);
      const { store } = originals;
      const leaving = leavingSignal(reply.raw);
      const entries = await filesOfItems(store, items, leaving);
      if (entries.length === 0) throw notFound('None of these files exists any more.', 'no_files_found');
      const archive = await createArchive(store, entries, leaving);
      return raw(() => sendArchive(request, reply.raw, { archive, leaving, name: 'download' }))(request, reply);
    },
  });
}
