import { z } from 'zod';
import { AUDIT_ACTIONS, actionsOf } from '../../audit/audit-entry.ts';
import type { AuditPosition } from '../../audit/audit-rows.ts';
import type { EntryIds } from '../../audit/entry-ids.ts';
import { readCursor, writeCursor, wrongCursor } from '../../library/cursor.ts';
import { requireOwnSpace } from '../admission/space.ts';
import { wholeNumber } from '../bodies/query-forms.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';

const time = z.iso.datetime();

const entry = z
  .object({
    id: z.string().describe('Opaque.'),
    at: time,
    space: z.string().describe('Empty for the installation.'),
    actor: z.object({
      type: z.enum(['user', 'key', 'signature', 'nobody', 'system']),
      id: z.string().nullable(),
      name: z.string().nullable().describe('Name at that time.'),
    }),
    action: z.enum(AUDIT_ACTIONS),
    target: z.string().nullable().describe('A path, an id or an address.'),
    detail: z.record(z.string(), z.unknown()),
    address: z.string().nullable().describe('Address of the client.'),
    requestId: z.string().nullable().describe('The `X-Request-Id` of the response.'),
  })
  .meta({ id: 'AuditEntry' });

/** PostgreSQL cannot be queried for a text with NUL. */
const text = z
  .string()
  .max(4096)
  .refine((value) => !value.includes('\0'), { error: 'expected a text without NUL, received one' });

const action = text.refine((value) => actionsOf(value) !== undefined, {
  error: ({ input }) =>
    `expected an action such as key.created, or a family such as key, received ${JSON.stringify(input)}`,
});

const query = z.object({
  action: action.optional().describe('An action, or a family: `key` means all that begin with `key.`.'),
  actor: text.optional().describe('Id of a user or a key.'),
  target: text.optional(),
  space: text
    .optional()
    .describe('Entries of this space; of the installation if empty. In the library, all by default.'),
  from: time.optional().describe('The earliest time, inclusive.'),
  to: time.optional().describe('The latest time, exclusive.'),
  limit: wholeNumber(1, 1000).prefault('100').describe('Number of entries.'),
  cursor: z.string().optional().describe('The nextCursor of the previous page.'),
});

const page = z.object({
  entries: z.array(entry),
  nextCursor: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
});

const cursorForm = z.tuple([time, z.string()]);

/** `GET /audit`: the audit log. No endpoint changes it. */
export function auditRoutes({ services: { audit, auditIds } }: RouteContext): readonly Endpoint[] {
  return [
    defineEndpoint('GET /audit', {
      access: 'admin',
      noStore: true,
      openapi: {
        id: 'listAuditEntries',
        tag: 'Audit',
        summary: 'Lists the audit log, the newest first.',
        description: 'In the library of all spaces, each with its id; in a space its own.',
        errors: [404, 503],
      },
      schemas: { query, response: { 200: page } },
      async handle(request) {
        const { action, space, from, to, cursor, limit, ...filters } = request.query;
        const { within } = request;
        requireOwnSpace(request, space);
        const after = cursor === undefined ? undefined : positionOf(cursor, auditIds);
        const found = await audit.page({
          ...filters,
          space: within?.space.id ?? space,
          actions: action === undefined ? undefined : actionsOf(action),
          from: from === undefined ? undefined : new Date(from),
          to: to === undefined ? undefined : new Date(to),
          after,
          limit: limit + 1,
        });
        const last = found.length > limit ? found[limit - 1] : undefined;
        return {
          entries: found
            .slice(0, limit)
            .map(({ id, at, ...entry }) => ({ id: auditIds.of(id), at: at.toISOString(), ...entry })),
          nextCursor: last ? writeCursor([last.at.toISOString(), auditIds.of(last.id)]) : null,
        };
      },
    }),
  ];
}

/** @throws HttpProblem 400 for an invalid cursor */
function positionOf(cursor: string, ids: EntryIds): AuditPosition {
  const [at, entryId] = readCursor(cursor, cursorForm);
  const id = ids.rowOf(entryId);
  if (id === undefined) throw wrongCursor(cursor);
  return { at, id };
}
