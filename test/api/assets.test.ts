import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AssetJson } from '../../src/http/routes/library/asset-json.ts';
import { ROOT } from '../../src/path.ts';
import { Contract } from '../contract.ts';
import { type Answer, ask, askJson } from '../http.ts';
import { describeAs, isoTime, type LibraryService, picture, problem, startLibrary } from '../library.ts';
import { TEST_KEY } from '../service.ts';

let service: LibraryService;
let contract: Contract;
beforeAll(async () => {
  service = await startLibrary();
  contract = new Contract((await ask(service.url, '/api/openapi.json')).json());
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.clear();
  await service.services.catalog.folders.remove(ROOT);
});

async function asset(path: string): Promise<AssetJson> {
  const answer = await service.call('GET', `/assets/${path}`);
  expect(answer.status, answer.body.toString()).toBe(200);
  return answer.json() as unknown as AssetJson;
}

async function patch(path: string, words: unknown, ifMatch?: string) {
  const headers = { 'x-api-key': TEST_KEY, ...(ifMatch && { 'if-match': ifMatch }) };
  return askJson(service.url, 'PATCH', `/assets/${path}`, words, headers);
}

function expectContract(method: string, answer: Answer): void {
  const operation = contract.operations.find((one) => one.method === method && one.path === '/assets/{path}');
  if (!operation) throw new Error('The operation is not documented.');
  expect(contract.objection(operation, answer)).toBeUndefined();
}

const wrong = (message: unknown) => ({ ...problem('Bad request', 'validation_failed'), message });

describe('GET /assets/{path}', () => {
  test('tells what is known of a file, and null of what is not', async () => {
    await service.store('trips/rome.png');
    expect(await asset('trips/rome.png')).toEqual({
      path: 'trips/rome.png',
      name: 'rome.png',
      folder: 'trips',
      kind: 'image',
      type: 'image/png',
      size: expect.any(Number),
      mtime: isoTime,
      createdAt: isoTime,
      etag: expect.any(String),
      revision: 0,
      title: null,
      alt: null,
      description: null,
      tags: [],
      fields: {},
      focal: null,
      described: false,
      width: null,
      height: null,
      duration: null,
      frames: null,
      hasAlpha: null,
      codec: null,
      bitrate: null,
      takenAt: null,
      camera: null,
      hasGps: null,
      dominantColour: null,
      palette: [],
      placeholder: null,
      sha256: null,
      problem: null,
      variants: { count: 0, size: 0 },
    });
  });

  test('its answer is the documented one', async () => {
    await service.store('a.png');
    const answer = await service.call('GET', '/assets/a.png');
    expectContract('GET', answer);
  });

  test('counts the cached variants', async () => {
    await service.store('a.png');
    const variant = await ask(service.url, '/t/w_10,f_png/a.png');
    expect(variant.status).toBe(200);
    await service.services.variants.settled();
    expect((await asset('a.png')).variants).toEqual({ count: 1, size: variant.body.length });
  });

  test('knows what others have put there and what they have changed', async () => {
    await service.place('others.png', 'one');
    expect(await asset('others.png')).toMatchObject({ size: 3 });
    await service.place('others.png', 'three');
    expect(await asset('others.png')).toMatchObject({ size: 5 });
  });

  test('of what is no file is 404, and of a folder 400', async () => {
    await service.store('folder/a.png');
    const missing = { ...problem('Not found', 'file_not_found'), message: 'There is no file "missing.png".' };
    await service.expectAnswer('GET', '/assets/missing.png', undefined, 404, missing);
    await service.expectAnswer('GET', '/assets/folder', undefined, 400, problem('Bad request', 'is_a_folder'));
  });

  test('a file called like an endpoint is within reach', async () => {
    await service.place('duplicates', 'text');
    expect(await asset('duplicates')).toMatchObject({ path: 'duplicates', kind: 'document' });
    expect((await patch('duplicates', { title: 'Twice' })).status).toBe(200);
    expect(await asset('duplicates')).toMatchObject({ title: 'Twice' });
    const groups = await service.call('GET', '/assets/duplicates?kind=exact');
    expect(groups.json()).toHaveProperty('groups');
  });
});

describe('PATCH /assets/{path}', () => {
  const WORDS = {
    title: 'Rome',
    alt: 'The Colosseum at night',
    description: 'From the hill.',
    tags: ['italy', 'night'],
    fields: { licence: 'CC BY', stars: 5, nested: { a: [true, null, '\\u0000 🎉'] } },
    focal: { x: 0.25, y: 1 },
  };

  test('changes what is said of a file, and answers the whole asset', async () => {
    await service.store('rome.png');
    const answer = await patch('rome.png', WORDS);
    expectContract('PATCH', answer);
    expect(answer.json()).toEqual({ ...(await asset('rome.png')), ...WORDS, revision: 1 });
  });

  test('leaves what is not named, and clears what is null', async () => {
    await service.store('rome.png');
    await patch('rome.png', WORDS);
    expect((await patch('rome.png', { title: 'Roma' })).json()).toMatchObject({ ...WORDS, title: 'Roma' });
    const cleared = { title: null, alt: null, description: null, tags: null, fields: null, focal: null };
    const empty = { ...cleared, tags: [], fields: {}, revision: 3 };
    expect((await patch('rome.png', cleared)).json()).toMatchObject(empty);
  });

  test('with the revision that somebody else changed first is 412, and nothing changes', async () => {
    await service.store('rome.png');
    expect((await patch('rome.png', { title: 'one' }, '"0"')).status).toBe(200);
    const late = await patch('rome.png', { title: 'two' }, '"0"');
    expect(late.status).toBe(412);
    expect(late.json()).toEqual({
      ...problem('Precondition failed', 'precondition_failed'),
      message: 'Expected revision 0 of "rome.png", but it is 1.',
    });
    expect(await asset('rome.png')).toMatchObject({ title: 'one' });
    expect((await patch('rome.png', { title: 'three' }, '"7", "1"')).status).toBe(200);
    expect((await patch('rome.png', { title: 'four' }, '*')).status).toBe(200);
  });

  test('of two changes of one revision at once, one is 412', async () => {
    await service.store('rome.png');
    const both = await Promise.all(['one', 'two'].map((title) => patch('rome.png', { title }, '"0"')));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });

  test('an If-Match that is no revision is 400', async () => {
    await service.store('rome.png');
    const answer = await patch('rome.png', { title: 'x' }, 'W/"abc"');
    const message = 'In "If-Match": expected a revision in quotes, such as "3", received "W/\\"abc\\"".';
    expect([answer.status, answer.json()]).toEqual([400, wrong(message)]);
  });

  test.each([
    ['a field that there is not', { titel: 'x' }, /^In the body: expected no field "titel", only ("\w+"(, )?)+\.$/],
    ['a title of 501 characters', { title: 'x'.repeat(501) }, /In "title": expected at most 500 characters/],
    ['an alt of 501 characters', { alt: 'x'.repeat(501) }, /In "alt": expected at most 500 characters/],
    ['a description of 5001', { description: 'x'.repeat(5001) }, /In "description": expected at most 5000 characters/],
    ['a title with NUL', { title: 'a\0' }, /In "title": expected text without NUL/],
    ['a description with NUL', { description: '\0' }, /In "description": expected text without NUL/],
    ['fields with NUL', { fields: { a: ['b\0'] } }, /In "fields": expected text without NUL/],
    [
      'fields with half of a character',
      { fields: { '\ud83c': 1 } },
      /In "fields": expected text without NUL and halves/,
    ],
    ['101 tags', { tags: Array.from({ length: 101 }, String) }, /In "tags": expected at most 100 entries/],
    ['a tag of 101 characters', { tags: ['x'.repeat(101)] }, /In "tags.0": expected at most 100 characters/],
    ['a tag that would exclude', { tags: ['-a'] }, /In "tags.0": expected a tag without .* received "-a"/],
    ['an empty tag', { tags: [''] }, /In "tags.0": expected at least 1 character/],
    ['fields of more than 16 KB', { fields: { a: 'x'.repeat(16_384) } }, /In "fields": expected at most 16384 bytes/],
    ['a point outside the picture', { focal: { x: 1.1, y: 0 } }, 'In "focal.x": expected at most 1, received 1.1.'],
    ['half a point', { focal: { x: 1 } }, 'In "focal.y": expected number, received nothing.'],
  ])('%s is 400 that says so', async (_what, words, message) => {
    await service.store('rome.png');
    const answer = await patch('rome.png', words);
    const said = typeof message === 'string' ? message : expect.stringMatching(message);
    expect([answer.status, answer.json()]).toEqual([400, wrong(said)]);
    expect(await asset('rome.png')).toMatchObject({ revision: 0 });
  });

  test('of what is no file is 404', async () => {
    expect((await patch('missing.png', { title: 'x' })).status).toBe(404);
  });
});

describe('a file with other bytes', () => {
  test('has no problem of the previous ones before it is described', async () => {
    await service.place('broken.png', 'no image');
    await asset('broken.png');
    await describeAs(service, 'broken.png', { problem: 'The file cannot be read as an image.' });
    expect(await asset('broken.png')).toMatchObject({ described: true, problem: expect.any(String) });
    expect((await service.call('PUT', '/storage/broken.png', picture())).status).toBe(200);
    expect(await asset('broken.png')).toMatchObject({ described: false, problem: null, width: null });
  });
});

describe('in the background', () => {
  test('files are described, and what is known of them can be asked for', async () => {
    const { describing } = service.services;
    await service.store('rome.png');
    await patch('rome.png', { alt: 'Rome' });
    describing?.start();
    await vi.waitUntil(async () => (await asset('rome.png')).described, { timeout: 30_000, interval: 50 });
    expect(await asset('rome.png')).toMatchObject({
      alt: 'Rome',
      width: expect.any(Number),
      height: expect.any(Number),
      codec: 'png',
      hasAlpha: true,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      placeholder: expect.any(String),
    });
    const metrics = (await service.call('GET', '/metrics')).body.toString();
    expect(metrics).toContain('darkroom_described_files_total 1');
    expect(metrics).toContain('darkroom_describe_failures_total 0');
  });

  test('the reason why a file cannot be decoded is found, and ends with other bytes', async () => {
    service.services.describing?.start();
    await service.place('broken.png', 'no image');
    const listed = async () => (await service.call('GET', '/storage')).json().files as { problem: string | null }[];
    await listed();
    await vi.waitUntil(async () => (await asset('broken.png')).described, { timeout: 30_000, interval: 50 });
    const reason = 'The file cannot be read as an image.';
    expect(await asset('broken.png')).toMatchObject({ width: null, problem: reason });
    expect(await listed()).toMatchObject([{ path: 'broken.png', problem: reason }]);
    expect((await service.call('PUT', '/storage/broken.png', picture())).status).toBe(200);
    // It may be described by now.
    expect(await asset('broken.png')).toMatchObject({ problem: null });
    await vi.waitUntil(async () => (await asset('broken.png')).described, { timeout: 30_000, interval: 50 });
    expect(await asset('broken.png')).toMatchObject({ width: expect.any(Number), problem: null });
  });
});
