import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createLog } from '../../log.ts';
import type { Metrics } from './metrics.ts';
import { createRequestLog, loggedUrl } from './request-log.ts';

const metrics: Metrics = { countFastPathResponse: () => undefined, answer: () => undefined } as unknown as Metrics;

/** Has the format of an imgproxy signature. */
const IMGPROXY = `A${'b-_9Z3'.repeat(7)}`;

function asking(url: string): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { url, method: 'GET' });
}

function linesOf(mode: 'all' | 'errors', level = 'info') {
  const lines: string[] = [];
  const log = createLog({ level, format: 'json' }, { write: (line) => void lines.push(line) });
  return { lines, requests: createRequestLog({ log, metrics, mode }) };
}

test('the line of an answer from memory has the fields of other answers, and none has a query', () => {
  const { lines, requests } = linesOf('all');
  for (const url of ['/t/w_4/a.jpg', '/t/w_4/a.jpg?token=secret', '/t/"\\\u0001é/a.jpg']) {
    requests.logFastPath(304, 'a.B_c-1', loggedUrl({ url }));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        reqId: 'a.B_c-1',
        method: 'GET',
        url: url.split('?')[0],
        status: 304,
        cache: 'hit',
        msg: 'request',
      },
    ]);
    expect(lines.splice(0).join()).not.toContain('secret');
  }
});

test.each([
  ['/authenticated/s--f3e79d8a708f80a1/w_50/a.jpg', '/authenticated/s--***/w_50/a.jpg'],
  ['/authenticated/s--f3e79d8a708f80a1--1795213157/a.jpg?x=1', '/authenticated/s--***/a.jpg'],
  ['/api/authenticated/s--f3e79d8a708f80a1/a.jpg', '/api/authenticated/s--***/a.jpg'],
  ['/authenticated/%73%2D-f3e79d8a708f80a1/a.jpg', '/authenticated/%73%2D-***/a.jpg'],
  ['/%61uthenticated/S--f3e79d8a708f80a1/a.jpg', '/%61uthenticated/S--***/a.jpg'],
  ['/authenticated%2fs--f3e79d8a708f80a1%2Fa.jpg', '/authenticated%2fs--***%2Fa.jpg'],
  ['http://host/authenticated/s--f3e79d8a708f80a1', 'http://host/authenticated/s--***'],
  ['/video-status/authenticated/s--f3e79d8a708f80a1/a.mp4', '/video-status/authenticated/s--***/a.mp4'],
  ['/t/w_4/s--a.jpg', '/t/w_4/s--a.jpg'],
  ['/api/t/w_4/s--a.jpg', '/api/t/w_4/s--a.jpg'],
  ['/t/s--f3e79d8a708f80a1/w_4/a.jpg', '/t/s--***/w_4/a.jpg'],
  [`/t/authenticated/s--${'f'.repeat(64)}--1795213157/a.jpg`, '/t/authenticated/s--***/a.jpg'],
  ['/t/../authenticated/s--f3e79d8/a.jpg', '/t/../authenticated/s--***/a.jpg'],
  ['/t/%2e%2E/upload/resumable/abc', '/t/%2e%2E/upload/resumable/***'],
  ['/authenticated/f3e79d8a708f80a1/a.jpg', '/authenticated/***/a.jpg'],
  ['/authenticated/w_50/alpha.png', '/authenticated/w_50/alpha.png'],
  ['/video-status/s--f3e79d8a708f80a1--17/w_80/a.mp4/size', '/video-status/s--***/w_80/a.mp4/size'],
  ['/api/video-status/%53-%2df3e79d8a708f80a1/a.mp4', '/api/video-status/%53-%2d***/a.mp4'],
  ['/authenticated%252Fs--f3e79d8a708f80a1/a.jpg', '/authenticated%252Fs--***/a.jpg'],
  ['/authenticated/%2573--f3e79d8a708f80a1/a.jpg', '/authenticated/%2573--***/a.jpg'],
  ['/authenticated\\s--f3e79d8a708f80a1\\a.jpg', '/authenticated\\s--***\\a.jpg'],
  ['//authenticated//s--f3e79d8a708f80a1//a.jpg', '//authenticated//s--***//a.jpg'],
  ['/v1/authenticated/s--f3e79d8a708f80a1/a.jpg', '/v1/authenticated/s--***/a.jpg'],
  ['/authenticated/s--%66%33e79d8a708f80a1/a.jpg', '/authenticated/s--***/a.jpg'],
  ['/authenticated/s--f3e79d8a708f80a1%ff/a.jpg#s--f3', '/authenticated/s--***/a.jpg'],
  ['/demo/image/upload/s--Ab_-cd12--/w_400/a.jpg', '/demo/image/upload/s--***/w_400/a.jpg'],
  ['/image/upload/s--Ab_-cd12--/w_400/a.jpg', '/image/upload/s--***/w_400/a.jpg'],
  [`/${IMGPROXY}/rs:fit:40/plain/local:///a.jpg@png`, '/***/rs:fit:40/plain/local:///a.jpg@png'],
  [`/api/${IMGPROXY}/rs:fit:40/plain/a.jpg`, '/api/***/rs:fit:40/plain/a.jpg'],
  [`/%41${IMGPROXY.slice(1)}/plain/a.jpg`, '/***/plain/a.jpg'],
  [`http://host/${IMGPROXY}/plain/a.jpg`, 'http://host/***/plain/a.jpg'],
  ['/insecure/plain/a.jpg', '/insecure/plain/a.jpg'],
  [`/t/${IMGPROXY}/a.jpg`, `/t/${IMGPROXY}/a.jpg`],
  [`/download/${IMGPROXY}/a.jpg`, `/download/${IMGPROXY}/a.jpg`],
  ['/download-zip/abcDEF_-1', '/download-zip/***'],
  ['/api/download-zip/abcDEF_-1?x', '/api/download-zip/***'],
  ['/download%2dzip/abcDEF_-1', '/download%2dzip/***'],
  ['/download-zip/ticket', '/download-zip/ticket'],
  ['/%75pload/resum%61ble/abc', '/%75pload/resum%61ble/***'],
  ['/upload%2Fresumable%2Fabc', '/upload%2Fresumable%2F***'],
  ['/upload/resumable/abc/', '/upload/resumable/***/'],
  [`/authenticated${'/a'.repeat(600)}/s--0`, `/authenticated${'/a'.repeat(510)}/***`],
  [`/authenticated/s--${'%61'.repeat(1000)}/a`, '/authenticated/s--***/a'],
  ['/api/upload/resumable/abc_DEF-123?x=1', '/api/upload/resumable/***'],
  ['/upload/resumable', '/upload/resumable'],
])('what would give access in %s is hidden, in answers from memory as in others', async (url, shown) => {
  const { lines, requests } = linesOf('all');
  requests.logFastPath(200, 'a', loggedUrl({ url }));
  const response = new ServerResponse(asking(url));
  requests.watch(asking(url), response);
  response.emit('close');
  expect(lines.map((line) => JSON.parse(line).url)).toEqual([shown, shown]);
});

test.each([
  ['errors', 'info'],
  ['all', 'warn'],
] as const)('LOG_REQUESTS=%s at level %s writes none', (mode, level) => {
  const { lines, requests } = linesOf(mode, level);
  requests.logFastPath(200, 'a', loggedUrl({ url: '/t/w_4/a.jpg' }));
  expect(lines).toEqual([]);
});
