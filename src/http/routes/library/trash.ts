import { z } from 'zod';
import { ORDERS } from '../../../library/listing-order.ts';
import type { TrashPage } from '../../../library/trash.ts';
import { spaceOfMessage } from '../../admission/actor.ts';
import { wholeNumber } from '../../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';
import { leavingSignal } from '../../transport/send.ts';

const count = z.number().int().min(0);
const item = z
  .object({
    id: z.string(),
    path: z.string().describe('Original path.'),
    kind: z.enum(['image', 'video', 'audio', 'model', 'document', 'folder']),
    size: count.describe('Bytes.'),
    deletedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().describe('Time of its permanent deletion.'),
  })
  .meta({ id: 'TrashItem' });
const page = z.object({
  items: z.array(item),
  nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
});
const SORTS = { deleted: 'deletedAt', path: 'path', size: 'size' } as const;
const SORT_NAMES = Object.keys(SORTS) as (keyof typeof SORTS)[];
const pageQuery = z.object({
  sort: z.enum(SORT_NAMES).default('deleted').describe('Property by which items are sorted.'),
  order: z.enum(ORDERS).default('desc').describe('`desc`: the latest or largest first.'),
  limit: wholeNumber(1, 1000).prefault('100').describe('Number of items.'),
  cursor: z.string().optional().describe('The nextCursor of the previous page.'),
});
const itemParams = z.object({ id: z.string() });
const done = z.object({ success: z.boolean(), message: z.string() });

const tag = 'Storage';

/** Trash: deleted files and folders that can be restored. */
export function trashRoutes({ services: { trash, trashPreviews }, trail }: RouteContext): readonly Endpoint[] {
  const list = defineEndpoint('GET /trash', {
    access: 'read',
    noStore: true,
    openapi: { id: 'listTrash', tag, summary: 'Lists the trash, latest first by default.' },
    schemas: { query: pageQuery, response: { 200: page } },
    async handle({ query }) {
      const { limit, cursor, sort, order } = query;
      const { items, nextCursor } = await trash.list({ limit, cursor, order: { by: SORTS[sort], direction: order } });
      return { items: items.map(shown), nextCursor };
    },
  });
  const preview = defineEndpoint('GET /trash/:id/preview', {
    access: 'read',
    openapi: {
      id: 'previewTrashItem',
      tag,
      summary: 'A small WebP of an image or a video in the trash.',
      description: 'Other kinds, folders, and files over 64 MB have none (404).',
      errors: [404, 422, 503],
      media: ['image/webp'],
    },
    schemas: { params: itemParams },
    async handle({ params, raw }, reply) {
      const item = await trash.find(params.id);
      const bytes = await trashPreviews.read(item, spaceOfMessage(raw), leavingSignal(reply.raw));
      return reply.header('Cache-Control', 'private, max-age=86400, immutable').type('image/webp').send(bytes);
    },
  });
  const restore = defineEndpoint('POST /trash/:id/restore', {
    access: 'manage',
    audit: 'file.restored',
    outcome: ({ params }, { path }) => ({ target: path, detail: { trash: params.id } }),
    openapi: { id: 'restoreFromTrash', tag, summary: 'Restores an item of the trash.', errors: [404] },
    schemas: { params: itemParams, response: { 200: z.object({ success: z.boolean(), path: z.string() }) } },
    async handle({ params }) {
      return { success: true, path: await trash.restore(params.id) };
    },
  });
  const remove = defineEndpoint('DELETE /trash/:id', {
    access: 'manage',
    audit: 'file.deleted',
    openapi: { id: 'deleteFromTrash', tag, summary: 'Deletes an item of the trash permanently.', errors: [404] },
    schemas: { params: itemParams, response: { 200: done } },
    async handle(request) {
      const { id } = request.params;
      const path = await trash.remove(id);
      trail.note(request, { action: 'file.deleted', target: path, detail: { trash: id } });
      return { success: true, message: 'Deleted permanently.' };
    },
  });
  const empty = defineEndpoint('DELETE /trash', {
    access: 'manage',
    audit: 'file.deleted',
    outcome: (_request, { itemsDeleted }) => ({ detail: { trash: 'all', items: itemsDeleted } }),
    openapi: { id: 'emptyTrash', tag, summary: 'Empties the trash permanently.' },
    schemas: { response: { 200: done.extend({ itemsDeleted: count }) } },
    async handle() {
      const itemsDeleted = await trash.empty();
      return { success: true, message: `Deleted ${itemsDeleted} items permanently.`, itemsDeleted };
    },
  });
  return [list, preview, restore, remove, empty];
}

function shown({ id, path, kind, size, deletedAt, expiresAt }: TrashPage['items'][number]) {
  const at = (time: number) => new Date(time).toISOString();
  return { id, path, kind, size, deletedAt: at(deletedAt), expiresAt: at(expiresAt) };
}
