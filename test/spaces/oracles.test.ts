import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { bytes, startPlace } from '../old-place.ts';
import { API_SECRET, presignedFields } from '../presigned.ts';
import { startService, type TestService } from '../service.ts';
import { pathOf, tusAt } from '../tus.ts';
import { ADMIN, call, PHOTO, upload } from './asking.ts';

let old: Awaited<ReturnType<typeof startPlace>>;
let service: TestService;
/** Keys of the installation: one that only uploads, and one that reads as well. */
let uploader: Record<string, string>;
let reader: Record<string, string>;

beforeAll(async () => {
  old = await startPlace();
  service = await startService({
    API_SECRET,
    COMPAT: 'cloudinary',
    ORIGINS: `plans=${old.url}/plans, open=${old.url}/open, closed=${old.url}/closed`,
  });
  await call(service, 'POST', '/spaces', { id: 'closed', delivery: 'signed' });
  await call(service, 'POST', '/spaces', { id: 'away', enabled: false });
  await call(service, 'PATCH', '/spaces/default', { privateFolders: ['plans'] });
  for (const folder of ['plans', 'open', 'closed', 'away'])
    expect((await upload(service, '', 'there.png', { fields: { folder } })).status).toBe(200);
  const keyWith = async (permissions: string[]) => {
    const { data } = await call(service, 'POST', '/api-keys/create', { permissions });
    return { 'x-api-key': (data.apiKey as { key: string }).key };
  };
  uploader = await keyWith(['upload']);
  reader = await keyWith(['upload', 'read']);
});
afterAll(async () => {
  await service.close();
  old.close();
});
beforeEach(() => {
  old.asked.length = 0;
});

interface Prewarmed {
  prewarmedUrls: string[];
  prewarmErrors: string[];
}

let n = 0;
const nameOf = () => `upload-${++n}.png`;

/** Uploads a file whose variant names a layer. */
async function prewarmed(headers: Record<string, string>, layer: string, form: Record<string, string> = {}) {
  const fields = { ...form, transformations: `w_10~l_${layer}` };
  const { status, body } = await upload(service, '', nameOf(), { headers, fields });
  expect(status).toBe(200);
  return body.files?.[0] as unknown as Prewarmed;
}

async function prewarmedByTus(headers: Record<string, string>, layer: string, form: Record<string, string> = {}) {
  const client = tusAt(service.url, headers);
  const fields = { ...form, filename: nameOf(), transformations: `w_10~l_${layer}` };
  const path = pathOf(await client.begin(PHOTO.length, fields));
  expect((await client.patch(path, 0, PHOTO)).status).toBe(204);
  const { files } = (await client.call('GET', path)).json() as { files: [Prewarmed] };
  return files[0];
}

/** The errors, without the name of the layer. */
const errorsOf = ({ prewarmErrors }: Prewarmed) =>
  prewarmErrors.map((error) => error.replaceAll(/there|nothing/g, '*'));

const presigned = () => presignedFields('in');

const WAYS: [way: string, send: (layer: string) => Promise<Prewarmed>][] = [
  ['a presigned upload', (layer) => prewarmed({}, layer, presigned())],
  ['a key that only uploads', (layer) => prewarmed(uploader, layer)],
  ['a presigned resumable upload', (layer) => prewarmedByTus({}, layer, presigned())],
  ['a resumable upload by a key that only uploads', (layer) => prewarmedByTus(uploader, layer)],
];

describe.each(WAYS)('the variants of %s', (_way, send) => {
  test.each([
    ['a private folder', 'plans'],
    ['a space of signed URLs', 'closed'],
    ['a disabled space', 'away'],
  ])('do not tell whether a file of %s exists', async (_place, folder) => {
    const there = await send(`${folder}:there.png`);
    const missing = await send(`${folder}:nothing.png`);
    expect(there.prewarmedUrls).toEqual([]);
    expect(errorsOf(there)).toEqual(errorsOf(missing));
    expect(there.prewarmErrors).toHaveLength(1);
    expect(old.asked).toEqual([]);
  });

  test('have layers that everyone may have', async () => {
    expect((await send('open:there.png')).prewarmErrors).toEqual([]);
    expect((await send('open:nothing.png')).prewarmErrors).toEqual([
      'w_10~l_open:nothing.png: There is no file "open/nothing.png" for a layer.',
    ]);
  });
});

test.each([
  ['a key that reads', () => reader],
  ['an admin', () => ADMIN],
])('the variants of %s have all layers', async (_who, headers) => {
  for (const send of [prewarmed, prewarmedByTus]) {
    expect((await send(headers(), 'plans:there.png')).prewarmErrors).toEqual([]);
    expect((await send(headers(), 'closed:there.png')).prewarmErrors).toEqual([]);
  }
});

test('a key that only uploads prewarms what it uploads into a private folder', async () => {
  const { file } = await upload(service, '', 'own.png', {
    headers: uploader,
    fields: { folder: 'plans', transformations: 'w_10,f_png' },
  });
  expect(file).toMatchObject({ prewarmedUrls: ['/t/w_10,f_png/plans/own.png'], prewarmErrors: [] });
});

test('an upload by a key that reads fetches layers from their previous host, another one does not', async () => {
  old.answers['/plans/late.png'] = bytes(PHOTO);
  expect((await prewarmed(uploader, 'plans:late.png')).prewarmedUrls).toEqual([]);
  expect(old.asked).toEqual([]);
  expect((await prewarmed(reader, 'plans:late.png')).prewarmErrors).toEqual([]);
  expect(old.asked).toEqual(['/plans/late.png']);
});

describe('a URL of Cloudinary', () => {
  const answer = async (path: string, headers: Record<string, string> = {}) => {
    const { status, body } = await ask(service.url, path, { headers });
    return [status, body.toString().replaceAll(/there|nothing/g, '*')];
  };

  test.each([
    ['a layer of a private folder', '/image/upload/l_plans:NAME/open/there.png'],
    ['a layer of a space of signed URLs', '/image/upload/l_closed:NAME/open/there.png'],
    ['a layer of a disabled space', '/image/upload/l_away:NAME/open/there.png'],
    ['a private folder', '/image/upload/w_20/plans/NAME'],
    ['a private folder, as it is', '/image/upload/plans/NAME'],
    ['a space of signed URLs', '/image/upload/w_20,e_sepia/closed/NAME'],
    ['a private folder, as a video', '/video/upload/w_20/plans/NAME'],
    ['a space of signed URLs, in the space', '/b/closed/image/upload/l_NAME/there.png'],
  ])('does not tell whether a file exists in %s', async (_place, url) => {
    const there = await answer(url.replace('NAME', 'there'));
    expect(there).toEqual(await answer(url.replace('NAME', 'nothing')));
    expect(there[0]).toBe(url.includes('away') ? 403 : 401);
    expect(old.asked).toEqual([]);
  });

  test('leads to these files with a key that reads', async () => {
    for (const layer of ['plans', 'closed'])
      expect((await answer(`/image/upload/l_${layer}:there,w_5/open/there.png`, ADMIN))[0]).toBe(200);
  });
});
