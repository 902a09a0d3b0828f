import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import type { AuditEntry, AuditEvent } from '../../audit/audit-entry.ts';
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
