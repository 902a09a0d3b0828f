import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { badRequest, notFound } from '../../../errors.ts';
import { quote } from '../../../path.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';
import { rawPath } from '../../transport/raw-path.ts';
import { MAX_TAG_TEXT, tagName } from './asset-json.ts';

const count = z.number().int().min(0).describe('Number of files.');
const tagList = z.object({ tags: z.array(z.object({ tag: z.string(), count })) });
const renameBody = z.strictObject({ name: tagName.describe('The new name; the name of another tag merges the two.') });
const renamed = z.object({ success: z.boolean(), tag: z.string(), count });
const removed = z.object({ success: z.boolean(), count });

const tag = 'Assets';

/** `/tags`: the tags of all files. */
export function tagRoutes({ services: { assets } }: RouteContext): readonly Endpoint[] {
  const list = defineEndpoint('GET /tags', {
    access: 'read',
    openapi: { id: 'listTags', tag, summary: 'Lists tags with their number of files.', errors: [503] },
    schemas: { response: { 200: tagList } },
    async handle() {
      return { tags: await assets.tags() };
    },
  });
  const rename = defineEndpoint('PATCH /tags/*', {
    access: 'manage',
    audit: 'file.changed',
    outcome: (request, { tag: to, count: files }) => ({ detail: { tag: requireTag(request), to, files } }),
    openapi: {
      id: 'renameTag',
      tag,
      summary: 'Renames a tag, or merges it into another.',
      path: '/tags/{tag}',
      errors: [404, 503],
    },
    schemas: { body: renameBody, response: { 200: renamed } },
    async handle(request) {
      const name = request.body.name.normalize('NFC');
      const old = requireTag(request);
      const count = await assets.renameTag(old, name);
      return { success: true, tag: name, count: someOf(count, old) };
    },
  });
  const remove = defineEndpoint('DELETE /tags/*', {
    access: 'manage',
    audit: 'file.changed',
    outcome: (request, { count: files }) => ({ detail: { removedTag: requireTag(request), files } }),
    openapi: {
      id: 'deleteTag',
      tag,
      summary: 'Removes a tag from all files.',
      path: '/tags/{tag}',
      errors: [404, 503],
    },
    schemas: { response: { 200: removed } },
    async handle(request) {
      const old = requireTag(request);
      return { success: true, count: someOf(await assets.removeTag(old), old) };
    },
  });
  return [list, rename, remove];
}

/** Reads the tag from the rest of the path, including slashes. @throws HttpProblem 400; 404 for an impossible tag */
function requireTag(request: FastifyRequest): string {
  const raw = rawPath(request);
  if (raw === '') throw badRequest('Expected a tag in the path, received none.', 'missing_input');
  const tag = decodeTag(raw);
  if (tag.includes('\0')) throw noTag(tag);
  return tag;
}

function decodeTag(raw: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(raw);
  } catch {
    throw badRequest(`Expected percent-encoded UTF-8 in the path, received ${quote(raw)}.`, 'invalid_encoding');
  }
  if (decoded.length > MAX_TAG_TEXT) throw noTag(decoded);
  return decoded.normalize('NFC');
}

function someOf(count: number, tag: string): number {
  if (count === 0) throw noTag(tag);
  return count;
}

const noTag = (tag: string) => notFound(`No file has the tag ${quote(tag)}.`, 'tag_not_found');
