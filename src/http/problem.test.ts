import type { FastifyBaseLogger } from 'fastify';
import { expect, test, vi } from 'vitest';
import { HttpProblem, unavailable } from '../errors.ts';
import { renderProblem } from './problem.ts';

function logged(error: unknown) {
  const log = { error: vi.fn(), warn: vi.fn() };
  const { status } = renderProblem(error, log as unknown as FastifyBaseLogger);
  return [status, log.error.mock.calls.length, log.warn.mock.calls.length];
}

test('a fault is logged in full, a refusal under load as a line, and what clients cause not at all', () => {
  expect(logged(new Error('broken'))).toEqual([500, 1, 0]);
  expect(logged(unavailable('The queue is full.', 'queue_full'))).toEqual([503, 0, 1]);
  expect(logged(new HttpProblem('quota_exceeded', 'The quota is used up.'))).toEqual([507, 0, 0]);
  expect(logged(new HttpProblem('bad_request', 'Expected a path.'))).toEqual([400, 0, 0]);
});
