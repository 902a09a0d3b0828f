import { z } from 'zod';
import type { NewRedirect } from '../../../catalog/redirects.ts';
import { MAX_TEXT_LENGTH, parsePath } from '../../../path.ts';
import { wholeNumber } from '../../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';

const path = z.string().min(1).max(MAX_TEXT_LENGTH);
const redirect = z
  .object({
    from: z.string().describe('Previous path, whose URLs keep working.'),
    to: z.string().describe('Present path of the file or folder; its previous one while it is in the trash.'),
    isFolder: z.boolean().describe('True for a folder: the redirect covers everything below it.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Redirect' });
const listed = z
  .object({
    ...redirect.shape,
    isOverruled: z
      .boolean()
      .describe(
        'True while a file has the previous path of a file: it is delivered, not the target. False for folders.',
      ),
  })
  .meta({ id: 'ListedRedirect' });
const body = z.strictObject({
  from: path.describe('Previous path. No file may be there.'),
  to: path.describe('An existing file or folder, or a path with a redirect to one.'),
});
const page = z.object({
  redirects: z.array(listed),
  nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
});
const pageQuery = z.object({
  limit: wholeNumber(1, 1000).prefault('100').describe('Number of redirects.'),
  cursor: z.string().optional().describe('The nextCursor of the previous page.'),
  from: z
    .union([path, z.array(path).max(100)])
    .optional()
    .describe('Only the redirect of this path. May be repeated.'),
  to: path.optional().describe('Only redirects that lead to this file or folder, also by a folder above it.'),
});
const removeQuery = z.object({ from: path.describe('Its previous path.') });

const tag = 'Storage';

/** Redirects: previous paths of files and folders whose URLs keep working. */
export function redirectRoutes({ services: { redirects }, trail }: RouteContext): readonly Endpoint[] {
  const create = defineEndpoint('POST /redirects', {
    access: 'manage',
    audit: 'redirect.created',
    openapi: {
      id: 'createRedirect',
      tag,
      summary: 'Redirects a previous path to a file or folder, or replaces its redirect.',
      errors: [404, 409],
    },
    schemas: { body, response: { 201: z.object({ redirect }) } },
    async handle(request, reply) {
      const created = await redirects.create(parsePath(request.body.from), parsePath(request.body.to));
      trail.note(request, { action: 'redirect.created', target: created.from, detail: { to: created.to } });
      return reply.code(201).send({ redirect: shown(created) });
    },
  });
  const list = defineEndpoint('GET /redirects', {
    access: 'read',
    noStore: true,
    openapi: { id: 'listRedirects', tag, summary: 'Lists redirects by their previous path.' },
    schemas: { query: pageQuery, response: { 200: page } },
    async handle({ query }) {
      const { from, to, limit, cursor } = query;
      const found = await redirects.list({
        limit,
        cursor,
        from: from === undefined ? undefined : [from].flat().map(parsePath),
        to: to === undefined ? undefined : parsePath(to),
      });
      return {
        redirects: found.redirects.map((one) => ({ ...shown(one), isOverruled: one.isOverruled })),
        nextCursor: found.nextCursor,
      };
    },
  });
  const remove = defineEndpoint('DELETE /redirects', {
    access: 'manage',
    audit: 'redirect.deleted',
    openapi: { id: 'deleteRedirect', tag, summary: 'Deletes a redirect. Its target stays.', errors: [404] },
    schemas: { query: removeQuery, response: { 200: z.object({ success: z.boolean() }) } },
    async handle(request) {
      const { from, to } = await redirects.remove(parsePath(request.query.from));
      trail.note(request, { action: 'redirect.deleted', target: from, detail: { to } });
      return { success: true };
    },
  });
  return [create, list, remove];
}

function shown({ from, to, isFolder, createdAt }: NewRedirect) {
  return { from, to, isFolder, createdAt: new Date(createdAt).toISOString() };
}
