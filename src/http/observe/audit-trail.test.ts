import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import { expect, test } from 'vitest';
import type { AuditEntry, AuditEvent } from '../../audit/audit-entry.ts';
import type { Schema } from '../../db/schema.ts';
import { createAuditTrail } from './audit-trail.ts';

test('a request leaves at most a thousand entries, the last of which counts the others', () => {
  const entries: AuditEntry[] = [];
  const audit = {
    record: (added: readonly AuditEntry[]) => entries.push(...added),
    write: async () => undefined,
    log: () => undefined,
  };
  const trail = createAuditTrail(audit, []);
  const raw = { headers: {}, socket: { remoteAddress: '203.0.113.7' } } as unknown as IncomingMessage;
  const events = Array.from({ length: 1500 }, (_, n): AuditEvent => ({ action: 'file.deleted', target: `${n}` }));
  trail.done({ raw } as FastifyRequest, events);
  expect(entries).toHaveLength(1000);
  expect(entries[998]).toMatchObject({ target: '998', detail: undefined });
  expect(entries[999]).toMatchObject({ target: '999', detail: { omitted: 500 }, address: '203.0.113.7' });
});

test('entries of a change are written with it, in their space and by their actor, and stand for the declared ones', async () => {
  const lists = { written: [] as AuditEntry[], lines: [] as AuditEntry[], recorded: [] as AuditEntry[] };
  const audit = {
    record: (added: readonly AuditEntry[]) => lists.recorded.push(...added),
    write: async (_: Transaction<Schema>, entry: AuditEntry) => {
      lists.written.push(entry);
    },
    log: (entry: AuditEntry) => lists.lines.push(entry),
  };
  const trail = createAuditTrail(audit, []);
  const raw = { headers: {}, socket: {} } as unknown as IncomingMessage;
  const request = { raw } as FastifyRequest;
  const actor = { type: 'system', id: null, name: 'Example ID' } as const;
  const within = trail.within<string[]>(request, (spaces) =>
    spaces.map((space) => ({ action: 'member.joined', space, actor })),
  );
  await within({} as Transaction<Schema>, ['', 'acme']);
  expect(lists.written).toMatchObject([
    { space: '', actor },
    { space: 'acme', actor },
  ]);
  trail.done(request, [{ action: 'session.started' }]);
  expect([lists.lines, lists.recorded]).toEqual([lists.written, []]);
  trail.note(request, { action: 'session.started' });
  trail.done(request, []);
  expect(lists.recorded).toMatchObject([{ action: 'session.started', space: '', actor: { type: 'nobody' } }]);
});
