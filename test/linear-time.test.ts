import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { originalOf } from '@darkroom/url-translators/cloudinary/original';
import { translate as translateCloudinary } from '@darkroom/url-translators/cloudinary/translate';
import { writeSegment as writeCloudinary } from '@darkroom/url-translators/cloudinary/write';
import { translate as translateImgproxy } from '@darkroom/url-translators/imgproxy/translate';
import { writeSegment as writeImgproxy } from '@darkroom/url-translators/imgproxy/write';
import { type FastifyRequest, fastify } from 'fastify';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { searchedTokens } from '../src/catalog/tokens.ts';
import { readSignedUrl, signDeliveryUrl } from '../src/delivery/signed-url.ts';
import { readDeliveryUrl, readTransformation, writeDeliveryUrl } from '../src/delivery/url.ts';
import { createAddressReader, networkOf } from '../src/http/admission/client-address.ts';
import { presentedKey, presentedSession } from '../src/http/admission/credentials.ts';
import { createForwardedReader } from '../src/http/admission/forwarded.ts';
import { isHost } from '../src/http/admission/host.ts';
import { isOwnOrigin } from '../src/http/admission/origin.ts';
import { readJsonBodies } from '../src/http/bodies/json-bodies.ts';
import { readParameters, readPartHeaders } from '../src/http/bodies/part-headers.ts';
import { searchedPath } from '../src/http/bodies/query-forms.ts';
import { check } from '../src/http/bodies/validation.ts';
import { defineEndpoint } from '../src/http/endpoints/endpoint.ts';
import { createRequestTargets } from '../src/http/endpoints/request-target.ts';
import { createRequestIds } from '../src/http/observe/request-id.ts';
import { loggedUrl } from '../src/http/observe/request-log.ts';
import { wordsBody } from '../src/http/routes/library/asset-json.ts';
import { searchOf, searchQuery } from '../src/http/routes/library/asset-query.ts';
import { parseMetadata } from '../src/http/routes/uploads/tus-headers.ts';
import { attachment } from '../src/http/transport/attachment.ts';
import { evaluateConditions } from '../src/http/transport/conditional.ts';
import { rawPath, rawQuery } from '../src/http/transport/raw-path.ts';
import { parseLayered, validateLayers } from '../src/image/layers/segment.ts';
import { imageSteps } from '../src/image/steps/index.ts';
import { parseJson } from '../src/json.ts';
import { readCursor } from '../src/library/cursor.ts';
import { parseTransformations } from '../src/library/prewarm.ts';
import type { Services } from '../src/library-services.ts';
import { mediaTypeOf } from '../src/media.ts';
import { parseOutgoingUrl } from '../src/outgoing/guarded-request.ts';
import { parseNewPath, parsePath, parseUrlPath, type StoragePath, uploadFolder, uploadPath } from '../src/path.ts';
import { tracedRequest } from '../src/tracing.ts';
import { negotiateFormat, readAccept } from '../src/transformation/negotiate.ts';
import { validationErrorOf } from '../src/transformation/transformation.ts';
import { videoSteps } from '../src/video/steps/index.ts';
import { costOf, growthOf } from './growth.ts';

const SRC = join(import.meta.dirname, '..', 'src');

/** Maximum growth for four times the length: linear time needs about 4, quadratic time 16. */
const LINEAR = 9;

/** Attempts on a busy host: noise passes, quadratic time does not. */
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
      // An immediate result needs no measurement.
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

/** Returns runs of one or two characters, after a valid prefix of the pattern and before an invalid end. */
function attacksOn({ source }: RegExp): ((length: number) => string)[] {
  const literal = /^\^?((?:\\[/.[\]]|[\w:@#;=" -])*)/.exec(source)?.[1]?.replaceAll('\\', '') ?? '';
  const own = [...new Set(source.replaceAll(/\\./g, ''))];
  const characters = new Set([...'a0-/ ._:,[]="%\\;\t\n\0', 'é', '\u0300', ...own]);
  const units = [...characters, ...[...characters].map((one) => `${one}${literal}`), 'a-', '0.', 'a/', ' \n', '":'];
  return units.flatMap((unit) =>
    ['', '!', '\n'].map((end) => (length: number) => literal + unit.repeat(Math.ceil(length / unit.length)) + end),
  );
}

const limits = { outputSide: 8192, families: ['Noto Sans'], presets: { thumb: 'w_200' } };
const file = { size: 1000, etag: '"a"', modifiedAt: new Date(0) };
type Row = readonly [name: string, make: (length: number) => string];
const row = (unit: string, start = '', end = ''): Row => [
  `${start}${unit.slice(0, 12)}…${end}`,
  (length) => start + unit.repeat(Math.ceil(length / unit.length)) + end,
];
const asking = (headers: Record<string, string>) => ({ method: 'GET', headers, socket: {} }) as IncomingMessage;
const conditions = (name: string) => (text: string) => evaluateConditions(asking({ [name]: text }), file);
const targets = createRequestTargets(
  (['GET /t/*', 'GET /queue/jobs/:jobId/retry'] as const).map((route) =>
    defineEndpoint(route, { access: 'public', limit: 'public', openapi: 'hidden', handle: () => route }),
  ),
);
const readAddress = createAddressReader(['127.0.0.1']);
const readForwarded = createForwardedReader(['127.0.0.1']);
const identify = createRequestIds();
const services = {
  config: { http: { publicUrl: undefined } },
} as unknown as Services;
const target = (url: string) => ({ raw: { url } }) as FastifyRequest;

/** The longest request line, slightly more than the limit of a transformation, and a length that is still parsed. */
const LENGTHS = [16_000, 8_400, 8_000];

/**
 * Maximum time relative to splitting and joining the same text. On the reference host this is 2 us of CPU per
 * character, 32 ms for 16 KB; slower or busier hosts take proportionally longer.
 */
const MAX_FACTOR = 70;

async function expectCheap(rows: readonly Row[], act: (input: string) => unknown): Promise<void> {
  const maxCost = await measureMaxCost();
  for (const [name, make] of rows) {
    for (const length of LENGTHS) {
      const cost = await costOf(make(length), act, maxCost);
      expect(cost, `${name}, ${length} characters`).toBeLessThanOrEqual(maxCost);
    }
    expectLinear(make, act);
  }
}

/** @returns microseconds of CPU for a character */
async function measureMaxCost(): Promise<number> {
  const text = 'l_a,w_1~'.repeat(4000);
  return MAX_FACTOR * (await costOf(text, () => text.split('').join(''), 0));
}

/** One file of each kind. */
const FILES = ['a.jpg', 'a.gif', 'a.mp4', 'a.mp3', 'a.obj', 'a.glb'];

const cloudinary = (text: string) => {
  originalOf(text);
  const read = translateCloudinary(text);
  const written = read.kind === 'translated' ? writeCloudinary(read, { file: read.path }) : read;
  if (read.kind === 'translated' && written.kind === 'written') {
    readTransformation(written.segment, mediaTypeOf(read.path), limits);
  }
};

const places = [{ folder: 'a' as StoragePath, url: 'https://example.com/a' }];
const imgproxy = (text: string) => {
  const read = translateImgproxy(text, places);
  const written = read.kind === 'translated' ? writeImgproxy(read, { extension: 'jpg', isVideo: false }) : read;
  if (written.kind === 'written') readTransformation(written.segment, mediaTypeOf('a.jpg'), limits);
};

/** Runs of parts, as in transformations, without a path. */
const PARTS = [
  row('_'),
  row('_,'),
  row(','),
  row('a,'),
  row('w_1,'),
  row('w_99999,'),
  row('w_,'),
  row('w_w_w_w_1,'),
  row('thumbnail_time_1,'),
  row('thumbnail_'),
  row('e_blur,'),
  row('e_blur_5,'),
  row('e_blur:5,'),
  row('e_blur:'),
  row('e_a:,'),
  row(':'),
  row('~'),
  row('~l_a'),
  row('~l_a', 'w_1'),
  row('l_a,w_1~', '', 'l_a'),
  row('l_a,w_1,dpr_2~', 'dpr_2~', 'l_a'),
  row('a', 'l_text:'),
  row('%', 'l_text:'),
  row('%20', 'l_text:'),
  row('a:', 'l_'),
  row('\u0300\u0316', 'l_a'),
  row('an_true,f_mp4,'),
  row('an_true,'),
  row('f_json,'),
  row('t_true,w_1,'),
  row('t_true,f_mp4,'),
  row('sb_true,'),
  row('wf_true,f_png,'),
  row('au_aac,'),
  row('au_aac,b_fff,'),
  row('f_mp4,so_1,eo_2,'),
  row('f_hls,h_1,'),
  row('n_'),
  row('n_thumb,'),
  row('0', 'w_'),
  row('1', 'so_0.'),
  row('1:', 'pd_'),
  row('0.1:', 'rg_'),
  row('f', 'b_'),
  row('rgb:', 'b_'),
];

const URLS = [
  row('-', 's--'),
  row('-', 's--', '/a.jpg'),
  row('--', 's--0123456789abcdef--', '/a.jpg'),
  row('1', 's--0123456789abcdef--', '/a.jpg'),
  row('_', 's--0123456789abcdef/', '/a.mp4'),
  row('w_1,', 's--0123456789abcdef/', '/a.mp4'),
  row('%5F', 's--0123456789abcdef/', '/a.mp4'),
  row('/', 's--0123456789abcdef/'),
  row('/'),
  row('_'),
  row('1', 'a_', '/a.jpg'),
  row('1', 'w_', '/a.jpg'),
  row('1', 'so_', '/a.mp4'),
  row('0', 'so_0.', 'x/a.mp4'),
  row('1:', 'r_', '/a.jpg'),
  row('%', 'http://'),
  row('a', 'http://'),
  row('../'),
  row('%2e'),
  row('%2F'),
  row('%CC%80%CC%96', 'a'),
  row('%CC%80%CC%96', 'w_1/a'),
  row(`${'%CC%80%CC%96'.repeat(60)}/`, 'w_1/'),
  row('?'),
  row('&paths=', '/a?'),
  row('a.', 'w_1/'),
  ...PARTS.flatMap(([, make]) =>
    ['a.jpg', 'a.mp4', 'a.mp3'].map(
      (path) => [`${make(8)}/${path}`, (length: number) => `${encodeURI(make(length))}/${path}`] as const,
    ),
  ),
];

const NAMES = [
  // Markers that must be sorted one by one.
  row('\u0300\u0316', 'a'),
  row('\u0316', `a${'\u0300'.repeat(5000)}`),
  row('/'),
  row('a/'),
  row(' '),
  row(' /'),
  row('\\'),
  row('#'),
  row('"'),
  row('[', '['),
  row('["', '['),
  row('\n'),
  row('a\n'),
  row(';'),
  row('é'),
  row('\ud800'),
  row('.'),
  row('(1)'),
];

const HEADERS = [
  row(','),
  row(' '),
  row(' ', 'Bearer'),
  row(' darkroom.session_token='),
  row('darkroom.session_token='),
  row(';darkroom.session_token=', 'a'),
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
  row('xn--a.', 'http://'),
  row('é', 'http://'),
  row('a.', 'a@', '!'),
  row('a', '', '@'),
  row('.a', 'a', '@a.de!'),
  row('a YQ==,'),
  row('a ', 'a '),
  row('A', 'a '),
  row('=', 'a '),
  row('-00', '00'),
  row('vendor=1,'),
  row('gzip,'),
  row('(', 'Mon, '),
  row('"', 'multipart/form-data; boundary="'),
  row('\\"', 'multipart/form-data; boundary="'),
  row(';a=b', 'multipart/form-data'),
  row(' ', 'multipart/form-data; boundary', '=a'),
  row('\\\\', 'form-data; filename="'),
  row('\\\\"', 'form-data; filename="'),
  row(';a="', 'form-data; name=a'),
  row(' ', 'form-data; filename=', '"a'),
  row('%22', 'form-data; filename="'),
  row('%00', "form-data; filename*=utf-8''"),
  row("'", 'form-data; filename*=utf-8'),
  row(';charset=a', 'form-data'),
];

/** Every parser of data from anonymous clients, and authenticated parsers of long texts. */
describe('linear, and a small factor of splitting a text, is the time for', () => {
  test.each([
    ['a signed URL', (text: string) => readSignedUrl(text, 'secret', limits)],
    [
      'a signed URL with its signature',
      (text: string) => readSignedUrl(signDeliveryUrl(text, { secret: 'a', limits }).slice(15), 'a', limits),
    ],
    ['a delivery URL', (text: string) => readDeliveryUrl(text, limits)],
    ['a path in a URL', parseUrlPath],
    ['a request target without its prefix', targets.withoutPrefix],
    ['the family of an endpoint', targets.familyOf],
    ['the path of a request', (text: string) => rawPath(target(text))],
    ['a query', (text: string) => rawQuery(target(text), 'paths')],
    ['the URL in the log', (text: string) => loggedUrl({ url: `/${text}` })],
  ])('%s', async (_, act) => expectCheap(URLS, act));

  test.each(FILES)('a transformation of %s', async (file) =>
    expectCheap(PARTS, (text) => readTransformation(text, mediaTypeOf(file), limits)),
  );

  test.each([
    ['a part that no list can read', (text: string) => validationErrorOf(text, [imageSteps, videoSteps], limits)],
    ['layers that cannot be read', (text: string) => validateLayers(text, limits)],
    [
      'the parameters of a picture, however many',
      (text: string) => parseLayered(text, imageSteps, [videoSteps], limits),
    ],
    ['the parameters of a video, however many', (text: string) => parseLayered(text, videoSteps, [imageSteps], limits)],
    ['the transformation of a new URL', (text: string) => writeDeliveryUrl('a.jpg' as StoragePath, text, limits)],
    ['the transformations of an upload', (text: string) => parseTransformations([text])],
  ])('%s', async (_, act) => expectCheap(PARTS, act));

  test('a URL of Cloudinary', async () => {
    const rows = [
      'l_a,w_1/fl_layer_apply,x_1/',
      'l_text:Arial_40:a,w_1/',
      'l_a/',
      'w_1/',
      'q_1/',
      'q_1,',
      'e_blur/',
      'e_blur,',
      'e_tint:',
      'fl_a.',
      'fl_layer_apply.',
      'c_fill,w_1,h_1/w_1/',
      'if_a/',
      '$a_1/',
      'a_hflip.',
      'a_1/',
      'b_rgb:',
      't_a/',
      'v1/',
      'abc_1/',
      '%2F',
      '%41',
      '_',
      ',',
      ':',
      '.',
      '/',
      'l_a:b:',
      'l_text:a_',
    ].flatMap((unit) => [row(unit, '/demo/image/upload/', 'a.jpg'), row(unit, '/demo/video/upload/', '/v1/a.mp4')]);
    await expectCheap(
      [
        ...rows,
        row('a', 'https://'),
        row('/', 'https://'),
        [`https://${scriptOf(8)}`, (length) => `https://${scriptOf(length)}/image/upload/w_1/a.jpg`],
      ],
      cloudinary,
    );
  });

  test('a URL of imgproxy', async () => {
    const rows = [
      'w:1/',
      'a:1/',
      'g:obj:a/',
      'g:obj:face:',
      'fq:jpg:1:',
      'skp:jpg:',
      'pr:a/',
      'rs:fill:1:1/',
      'c:1:1:nowe/',
      'rot:90/',
      'pd:1:',
      ':',
      '/',
      '%3A',
      '@',
      '.',
    ].flatMap((unit) => [
      row(unit, '/', '/plain/local:///a.jpg'),
      row(unit, '/plain/https://example.com/a/'),
      row(unit, '/'),
    ]);
    const coded = (text: string) => `/${Buffer.from(text).toString('base64url')}`;
    const sources: Row[] = [
      ['https://…, coded', (length) => coded(`https://${scriptOf(Math.min(length, 12_000) / 4)}/a.jpg`)],
      ['https://…', (length) => `/plain/https://${scriptOf(length)}/a.jpg`],
      ['marks', (length) => `/plain/https://a${'\u0300\u0316'.repeat(length / 2)}/a.jpg`],
    ];
    await expectCheap(
      [...rows, ...sources, row('a', '/plain/s3://'), row('YWFh', '/'), row('%41', '/plain/local:///')],
      imgproxy,
    );
  });

  test.each([
    ['a path', parsePath],
    ['the path of something new', parseNewPath],
    ['the name of an upload', (text: string) => uploadPath(parsePath('a'), text)],
    ['the folder of an upload', uploadFolder],
    ['the name of a download', attachment],
    ['the transformations of an upload', (text: string) => parseTransformations([text])],
    ['the transformations of an upload as JSON', (text: string) => parseTransformations([JSON.stringify([text])])],
    ['a name that is looked for', (text: string) => searchedPath.parse(text).normalize('NFC')],
    ['the query of a search', (text: string) => searchOf(searchQuery.parse({ q: text }))],
    ['a tag that is looked for', (text: string) => searchOf(searchQuery.parse({ tag: text }))],
    ['a folder that is searched', (text: string) => searchOf(searchQuery.parse({ folder: text }))],
    ['a time that is searched', (text: string) => searchQuery.parse({ takenAfter: text })],
    [
      'the words of a file',
      (text: string) => check(wordsBody, { title: text, tags: [text], fields: { a: text } }, 'body'),
    ],
    ['words that are searched', (text: string) => searchedTokens(searchQuery.parse({ q: text }).q ?? '')],
    ['a cursor', (text: string) => readCursor(text, z.tuple([z.string()]))],
    ['a cursor of JSON', (text: string) => readCursor(Buffer.from(text).toString('base64url'), z.tuple([z.string()]))],
    ['a URL that is fetched', (text: string) => parseOutgoingUrl(`https://${text}`)],
    ['JSON', parseJson],
  ])('%s', async (_, act) => expectCheap([...NAMES, [scriptOf(4), scriptOf]], act));

  test.each([
    ['Accept', negotiateFormat],
    ['Accept-Encoding', readAccept],
    ['Range', conditions('range')],
    ['If-Range', (text: string) => evaluateConditions(asking({ range: 'bytes=0-1', 'if-range': text }), file)],
    ['If-Match', conditions('if-match')],
    ['If-None-Match', conditions('if-none-match')],
    ['If-Modified-Since', conditions('if-modified-since')],
    ['If-Unmodified-Since', conditions('if-unmodified-since')],
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
    ['Host', isHost],
    ['X-Request-Id', identify],
    [
      'traceparent',
      (text: string) =>
        tracedRequest('deliver', { traceparent: text, tracestate: text, baggage: text }, {}, async () => undefined),
    ],
    ['Origin', (text: string) => isOwnOrigin({ host: 'a', protocol: 'http' } as FastifyRequest, text, services)],
    ['Authorization', (text: string) => presentedKey({ authorization: text })],
    ['Cookie', (text: string) => presentedSession({ cookie: text })],
    ['Upload-Metadata', parseMetadata],
    ['Content-Type of a form', readParameters],
    [
      'Content-Disposition and Content-Type of a part',
      (text: string) => readPartHeaders({ 'content-disposition': [text], 'content-type': [text] }),
    ],
    ['an address', networkOf],
    ['an e-mail address', (text: string) => z.email().safeParse(text)],
  ])('%s', async (_, act) => expectCheap(HEADERS, act));

  test('the body of a request, as JSON', async () => {
    const app = fastify();
    readJsonBodies(app, { maxBytes: 1024 * 1024, maxDepth: 32, maxValues: 10_000 });
    app.post('/', async () => 'read');
    const headers = { 'content-type': 'application/json' };
    const maxCost = await measureMaxCost();
    for (const [, make] of [
      row('['),
      row('{"a":'),
      row('"'),
      row('\\', '"'),
      row('\\"', '"'),
      row(','),
      row('1,', '['),
      row('"__proto__":1,', '{'),
      row('\u0300', '"', '"'),
    ]) {
      const inject = (payload: string) => app.inject({ method: 'POST', url: '/', headers, payload });
      expect(await costOf(make(500_000), inject, maxCost)).toBeLessThanOrEqual(maxCost);
    }
    await app.close();
  });
});

/** Returns distinct characters, which take longer to encode as a host name the more of them there are. */
function scriptOf(length: number): string {
  return Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join('');
}
