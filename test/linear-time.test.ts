import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readSignedUrl } from '../src/delivery/signed-url.ts';
import { readDeliveryUrl } from '../src/delivery/url.ts';
import { createAddressReader, networkOf } from '../src/http/admission/client-address.ts';
import { presentedKey, presentedSession } from '../src/http/admission/credentials.ts';
import { createForwardedReader } from '../src/http/admission/forwarded.ts';
import { isOwnOrigin } from '../src/http/admission/origin.ts';
import { defineEndpoint } from '../src/http/endpoints/endpoint.ts';
import { createLookup } from '../src/http/endpoints/lookup.ts';
import { attachment } from '../src/http/transport/attachment.ts';
import { evaluateConditions } from '../src/http/transport/conditional.ts';
import { parseTransformations } from '../src/library/prewarm.ts';
import { parsePath, parseUrlPath, uploadFolder, uploadPath } from '../src/path.ts';
import type { Services } from '../src/services.ts';
import { negotiateFormat } from '../src/transformation/negotiate.ts';
import { growthOf } from './growth.ts';

const SRC = join(import.meta.dirname, '..', 'src');

/** Four times the length may take little more than four times as long; with quadratic time it takes sixteen times. */
const LINEAR = 9;

/** So many tries does a busy machine get: noise passes, quadratic time does not. */
const TRIES = 5;

function expectLinear(make: (length: number) => string, act: (input: string) => unknown): void {
  let growth = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES && growth > LINEAR; n++) growth = Math.min(growth, growthOf(make, act));
  expect(growth).toBeLessThanOrEqual(LINEAR);
}

describe('every regular expression of the service takes linear time', () => {
  const isTest = (file: string) => /\.test\.ts$|(^|\/)test-[^/]+\.ts$|\.d\.ts$/.test(file);
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !isTest(file),
  );
  const found = [...new Set(files.flatMap((file) => literalsOf(join(SRC, file))))];

  test('there are some', () => expect(found.length).toBeGreaterThan(50));

  test.each(found)('%s', (literal) => {
    const slash = literal.lastIndexOf('/');
    const pattern = new RegExp(literal.slice(1, slash), literal.slice(slash + 1));
    const run = (input: string) => input.replace(pattern, '');
    for (const make of attacksOn(pattern)) {
      // What is quick at once needs no measuring.
      const start = performance.now();
      run(make(20_000));
      if (performance.now() - start > 10) expectLinear(make, run);
    }
  });
});

function literalsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) literals.push(node.getText(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return literals;
}

/** Rows of one or two characters, behind what the pattern begins with and before what cannot end it. */
function attacksOn({ source }: RegExp): ((length: number) => string)[] {
  const literal = /^\^?((?:\\[/.[\]]|[\w:@#;=" -])*)/.exec(source)?.[1]?.replaceAll('\\', '') ?? '';
  const own = [...new Set(source.replaceAll(/\\./g, ''))];
  const characters = new Set([...'a0-/ ._:,[]="%\\;\t\n\0', 'é', '\u0300', ...own]);
  const units = [...characters, ...[...characters].map((one) => `${one}${literal}`), 'a-', '0.', 'a/', ' \n', '":'];
  return units.flatMap((unit) =>
    ['', '!', '\n'].map((end) => (length: number) => literal + unit.repeat(Math.ceil(length / unit.length)) + end),
  );
}

const limits = { outputSide: 8192 };
const file = { size: 1000, etag: '"a"', modifiedAt: new Date(0) };
const row = (unit: string, start = '', end = '') =>
  [
    `${start}${unit.slice(0, 12)}…${end}`,
    (length: number) => start + unit.repeat(Math.ceil(length / unit.length)) + end,
  ] as const;
const asking = (headers: Record<string, string>) => ({ method: 'GET', headers, socket: {} }) as IncomingMessage;
const conditions = (name: string) => (text: string) => evaluateConditions(asking({ [name]: text }), file);
const lookup = createLookup(
  (['GET /t/*', 'GET /queue/jobs/:jobId/retry'] as const).map((route) =>
    defineEndpoint(route, { access: 'public', limit: 'public', openapi: 'hidden', handle: () => route }),
  ),
);
const readAddress = createAddressReader(['127.0.0.1']);
const readForwarded = createForwardedReader(['127.0.0.1']);
const services = {
  config: { http: { publicUrl: undefined } },
} as unknown as Services;

describe('linear is the time for', () => {
  test.each([
    ['a signed URL', (text: string) => readSignedUrl(text, 'secret', limits)],
    ['a delivery URL', (text: string) => readDeliveryUrl(text, limits)],
    ['a path in a URL', parseUrlPath],
    ['the class of an endpoint', (text: string) => lookup.classify('GET', text)],
    ['the family of an endpoint', lookup.familyOf],
  ])('%s', (_, act) => {
    for (const [, make] of [
      row('-', 's--'),
      row('-', 's--', '/a.jpg'),
      row('--', 's--0123456789abcdef--', '/a.jpg'),
      row('/'),
      row('_'),
      row('_', '', '/a.jpg'),
      row('w_1,', '', '/a.jpg'),
      row('1', 'a_', '/a.jpg'),
      row('1', 'w_', '/a.jpg'),
      row('1', 'so_', '/a.mp4'),
      row('0', 'so_0.', 'x/a.mp4'),
      row('1:', 'r_', '/a.jpg'),
      row('%', 'http://'),
      row('a', 'http://'),
      row('../'),
      row('%2e'),
      row('%CC%80%CC%96', 'a'),
    ]) {
      expectLinear(make, act);
    }
  });

  test.each([
    ['a path', parsePath],
    ['the name of an upload', (text: string) => uploadPath(parsePath('a'), text)],
    ['the folder of an upload', uploadFolder],
    ['the name of a download', attachment],
    ['the transformations of an upload', (text: string) => parseTransformations([text])],
  ])('%s', (_, act) => {
    // Marks that have to be put into their order one by one.
    for (const [, make] of [
      row('\u0300\u0316', 'a'),
      row('\u0316', `a${'\u0300'.repeat(5000)}`),
      row('/'),
      row('a/'),
      row(' '),
      row('\\'),
      row('#'),
      row('"'),
      row('[', '['),
      row('\n'),
      row('é'),
    ]) {
      expectLinear(make, act);
    }
  });

  test.each([
    ['Accept', negotiateFormat],
    ['Range', conditions('range')],
    ['If-Match', conditions('if-match')],
    ['If-None-Match', conditions('if-none-match')],
    ['If-Modified-Since', conditions('if-modified-since')],
    [
      'X-Forwarded-For',
      (text: string) =>
        readAddress({ headers: { 'x-forwarded-for': text }, socket: { remoteAddress: '127.0.0.1' } } as never),
    ],
    [
      'X-Forwarded-Proto and X-Forwarded-Host',
      (text: string) => {
        const headers = { 'x-forwarded-proto': text, 'x-forwarded-host': text };
        readForwarded({ headers, socket: { remoteAddress: '127.0.0.1' } } as never);
      },
    ],
    ['Origin', (text: string) => isOwnOrigin({ host: 'a', protocol: 'http' } as FastifyRequest, text, services)],
    ['Authorization', (text: string) => presentedKey({ authorization: text })],
    ['Cookie', (text: string) => presentedSession({ cookie: text })],
    ['an address', networkOf],
    ['an e-mail address', (text: string) => z.email().safeParse(text)],
  ])('%s', (_, act) => {
    for (const [, make] of [
      row(','),
      row(' '),
      row(' ', 'Bearer'),
      row(' darkroom.session_token='),
      row(' ', 'x', 'darkroom.session_token='),
      row(';'),
      row(';q=', 'image/webp'),
      row('image/webp,'),
      row('0-1,', 'bytes='),
      row('0', 'bytes='),
      row('0', 'bytes=-', '!'),
      row('"a",'),
      row('W/"'),
      row('127.0.0.1,'),
      row('[', '[', ']'),
      row('1.', '', ':1!'),
      row(':'),
      row('0:'),
      row('a', 'http://'),
      row('a.', 'a@', '!'),
      row('a', '', '@'),
      row('.a', 'a', '@a.de!'),
    ]) {
      expectLinear(make, act);
    }
  });
});
