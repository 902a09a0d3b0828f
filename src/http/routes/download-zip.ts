import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badRequest } from '../../errors.ts';
import type { Archive, ArchiveItem } from '../../library/archive.ts';
import { attachment } from '../transport/attachment.ts';

/** A download is for this client only, so no cache may store it. */
export const NO_STORE = 'private, no-store';

/** Selection of files and folders. */
export const zipBody = z.object({
  items: z.array(z.object({ path: z.string().min(1), kind: z.enum(['file', 'folder']).optional() })).optional(),
  paths: z.array(z.string().min(1)).optional(),
});

/** Sends an archive as a download of this name, or only its headers for HEAD. */
export async function sendArchive(
  request: FastifyRequest,
  response: ServerResponse,
  { archive: { size, stream }, leaving, name }: { archive: Archive; leaving: AbortSignal; name: string },
): Promise<void> {
  response.writeHead(200, {
    'Content-Type': 'application/zip',
    'Content-Disposition': attachment(`${name}.zip`),
    'Content-Length': size,
    'Cache-Control': NO_STORE,
    'X-Content-Type-Options': 'nosniff',
  });
  if (request.method === 'HEAD') {
    stream.destroy();
    response.end();
    return;
  }
  try {
    await pipeline(stream, response);
  } catch (error) {
    // Too late for another response. The client detects the truncated archive by its length.
    if (!leaving.aborted) request.log.error({ err: error }, 'archive cut short');
    response.destroy();
  }
}

/** @throws HttpProblem 400 */
export function chosenItems({ items, paths }: z.output<typeof zipBody>, max: number): readonly ArchiveItem[] {
  const chosen: readonly ArchiveItem[] | undefined = items ?? paths?.map((path) => ({ path }));
  if (chosen === undefined || chosen.length === 0) {
    throw badRequest('Expected a list "items" or "paths" with at least one entry, received none.', 'missing_input');
  }
  if (chosen.length > max) {
    throw badRequest(`Expected at most ${max} entries, received ${chosen.length}.`, 'too_many_items');
  }
  return chosen;
}
