import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Metrics } from './metrics.ts';
import { createRequestLog } from './request-log.ts';

const metrics: Metrics = { hotAnswer: () => undefined, answer: () => undefined } as unknown as Metrics;

function asking(url: string): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { url, method: 'GET' });
}

function linesOf(mode: 'all' | 'errors', level = 'info') {
  const lines: string[] = [];
  const log = pino({ level, base: null }, { write: (line) => void lines.push(line) });
  return { log, lines, requests: createRequestLog({ log, metrics, mode }) };
}

test('the line of an answer from memory is what the logger itself would write, without the query', () => {
  const { log, lines, requests } = linesOf('all');
  for (const url of ['/t/w_4/a.jpg', '/t/w_4/a.jpg?token=secret', '/t/"\\\u0001é/a.jpg']) {
    requests.hot(asking(url), 304);
    log.info({ method: 'GET', url: url.split('?')[0], status: 304, cache: 'hit' }, 'request');
    const [own = '', logged = ''] = lines.splice(0).map((line) => line.replace(/"time":\d{13},/, ''));
    expect(own).toBe(logged);
    expect(own).not.toContain('secret');
  }
});

test.each([
  ['errors', 'info'],
  ['all', 'warn'],
] as const)('LOG_REQUESTS=%s at level %s writes none', (mode, level) => {
  const { lines, requests } = linesOf(mode, level);
  requests.hot(asking('/t/w_4/a.jpg'), 200);
  expect(lines).toEqual([]);
});
