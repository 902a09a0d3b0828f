import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import type { AuditAction } from '../../../audit/audit-entry.ts';
import { badRequest } from '../../../errors.ts';
import type { BatchAction, BatchPage, BatchResult } from '../../../library/batch.ts';
import { MEDIA_KINDS } from '../../../media.ts';
import { MAX_TEXT_LENGTH, parseNewPath, parsePath } from '../../../path.ts';
import { searchedPath } from '../../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type Outcome, type RouteContext } from '../../endpoints/endpoint.ts';
import { errorCode, renderProblem } from '../../problem.ts';
import { tagName } from './asset-json.ts';

const ACTIONS = ['move', 'copy', 'delete', 'restore', 'invalidate', 'tag', 'untag'] as const;

const path = z.string().max(MAX_TEXT_LENGTH);
const item = z.strictObject({
  path,
  kind: z.enum(['file', 'folder']).default('file').describe('Folders are deleted only with the kind `folder`.'),
});
const body = z.strictObject({
  action: z.enum(ACTIONS),
  destination: z.string().optional().describe('For move and copy: a folder.'),
  tags: z.array(tagName).min(1).max(100).optional().describe('For tag and untag.'),
  trash: z.boolean().optional().describe('For delete: moves to the trash, from which items can be restored.'),
  redirect: z.boolean().optional().describe('For move: keeps the previous URLs working, by redirects.'),
  items: z.array(item).min(1).max(200).optional(),
  folder: z.string().optional().describe('Instead of items: everything in this folder; an empty text is the root.'),
  search: searchedPath.optional().describe('With folder: only what `GET /storage` finds with this search.'),
  recursive: z.boolean().optional().describe('With folder: everything that `GET /storage` lists with recursive.'),
  kind: z.enum(MEDIA_KINDS).optional().describe('With folder: only files of this kind.'),
  except: z.array(path).max(1000).optional().describe('With folder: except these paths.'),
  cursor: z.string().max(MAX_TEXT_LENGTH).optional().describe('With folder: the nextCursor of the previous call.'),
});
type Body = z.output<typeof body>;

const result = z.object({
  path: z.string(),
  newPath: z.string().optional().describe('New path of the item, or path of its copy.'),
  changedTags: z
    .array(z.string())
    .optional()
    .describe('For tag and untag: the tags that the file has got or lost. Others were as requested before.'),
  error: z.string().optional().describe('Reason of the failure.'),
  code: errorCode.optional(),
});
const answer = z.object({
  success: z.boolean().describe('True if no item failed.'),
  results: z.array(result),
  nextCursor: z.string().nullable().describe('Cursor for the rest of the folder; null if nothing is left.'),
});

/** `POST /storage/batch`: one action for many files and folders. */
export function batchRoutes({ services: { batch } }: RouteContext): readonly Endpoint[] {
  return [
    defineEndpoint('POST /storage/batch', {
      access: 'manage',
      audit: 'file.changed',
      outcome: (request, { results }) => results.flatMap((one) => outcomesOf(one, request.body)),
      openapi: {
        id: 'batch',
        tag: 'Storage',
        summary: 'Moves, copies, deletes or tags many files and folders.',
        description: 'A 207 response contains the reason for each failed item.',
        errors: [503],
      },
      schemas: { body, response: { 200: answer, 207: answer } },
      async handle(request, reply) {
        const page = await run(request.body);
        const results = page.results.map((one) => resultJson(one, request.log));
        const success = !results.some(({ error }) => error !== undefined);
        reply.code(success ? 200 : 207);
        return { success, results, nextCursor: page.nextCursor };
      },
    }),
  ];

  async function run(request: Body): Promise<BatchPage> {
    const { items, folder, search, recursive, kind, except = [], cursor } = request;
    const action = actionOf(request);
    if ((items === undefined) === (folder === undefined))
      throw wrong('the body', `either "items" or "folder", received ${items ? 'both' : 'neither'}`);
    if (folder !== undefined)
      return batch.folder(
        { folder: parsePath(folder), search, recursive, kind, except: except.map(parsePath), cursor },
        action,
      );
    const [stray] =
      Object.entries({ search, recursive, kind, except: request.except, cursor }).find(
        ([, value]) => value !== undefined,
      ) ?? [];
    if (stray) throw wrong(`"${stray}"`, 'no value in addition to "items", received one');
    const entries = (items ?? []).map((one) => ({ path: one.path, isFolder: one.kind === 'folder' }));
    return { results: await batch.items(entries, action), nextCursor: null };
  }
}

function actionOf({ action, destination, tags, trash, redirect }: Body): BatchAction {
  assertFitting({ action, destination, tags, trash, redirect });
  if (action === 'tag' || action === 'untag') {
    if (!tags) throw wrong('"tags"', 'tags, received nothing');
    return { action, tags: tags.map((tag) => tag.normalize('NFC')) };
  }
  if (action === 'move') {
    if (destination === undefined) throw wrong('"destination"', 'a folder, received nothing');
    return { action, destination: parseNewPath(destination), isRedirected: redirect ?? false };
  }
  if (action === 'copy')
    return { action, destination: destination === undefined ? undefined : parseNewPath(destination) };
  return action === 'delete' ? { action, isForTrash: trash ?? false } : { action };
}

/** @throws HttpProblem 400 for a field that the action does not take */
function assertFitting({ action, ...fields }: Pick<Body, 'action' | keyof typeof TAKEN_BY>): void {
  for (const name of ['trash', 'redirect', 'tags', 'destination'] as const) {
    const [what, actions] = TAKEN_BY[name];
    if (fields[name] === undefined || actions.includes(action)) continue;
    throw wrong(`"${name}"`, `nothing for ${action}, received ${what}`);
  }
}

const TAKEN_BY: Readonly<Record<'trash' | 'redirect' | 'tags' | 'destination', [string, readonly Body['action'][]]>> = {
  trash: ['a value', ['delete']],
  redirect: ['a value', ['move']],
  tags: ['tags', ['tag', 'untag']],
  destination: ['one', ['move', 'copy']],
};

const wrong = (where: string, what: string) => badRequest(`In ${where}: expected ${what}.`, 'validation_failed');

const RECORDED = {
  move: 'file.moved',
  copy: 'file.copied',
  delete: 'file.deleted',
  restore: 'file.restored',
  invalidate: 'cache.cleared',
  tag: 'file.changed',
  untag: 'file.changed',
} as const satisfies Record<Body['action'], AuditAction>;

/** The entry of a file; none of one that failed. */
function outcomesOf(
  { path, newPath, error }: z.output<typeof result>,
  { action, trash, tags, redirect }: Body,
): Outcome[] {
  if (error !== undefined) return [];
  const detail = { to: newPath, redirect, [action === 'untag' ? 'removedTags' : 'addedTags']: tags };
  return [{ action: action === 'delete' && trash ? 'file.trashed' : RECORDED[action], target: path, detail }];
}

/** Error in the format of the endpoint for one file. */
function resultJson({ error, ...done }: BatchResult, log: FastifyBaseLogger): z.output<typeof result> {
  if (error === undefined) return done;
  const { message, code } = renderProblem(error, log).body;
  return { path: done.path, error: message, code };
}
