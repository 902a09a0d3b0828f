import { afterEach, describe, expect, test } from 'vitest';
import { parsePath } from '../../src/path.ts';
import { ask, fixture } from '../http.ts';
import { picture } from '../library.ts';
import { API_SECRET, presignedFields, uploadPresigned } from '../presigned.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { pathOf, tusAt } from '../tus.ts';
import { startVideoService, type VideoService } from '../videos.ts';

const BROWSER = '198.51.100.7';
const VISITOR = '198.51.100.8';
const VIDEO = fixture('schizo_90.mp4');

let service: VideoService;
afterEach(() => service.close());

async function start(environment: Record<string, string> = {}): Promise<void> {
  service = await startVideoService({ ...FROM_ANYWHERE, API_SECRET, ...environment });
}

const upload = (files: Record<string, Uint8Array>, ...transformations: string[]) =>
  uploadPresigned(service.url, { from: BROWSER, files, transformations });

/** Uploads one file, which succeeds. */
async function uploadOne(name: string, bytes: Uint8Array, ...transformations: string[]) {
  const { status, success, files } = await upload({ [name]: bytes }, ...transformations);
  expect([status, success, files.length]).toEqual([200, true, 1]);
  const [file] = files;
  if (!file) throw new Error('Expected a file.');
  return file;
}

const visit = (address: string, path: string) => ask(service.url, path, { headers: { 'x-forwarded-for': address } });

/** Returns the error message of the response to a visitor. */
const refusalOf = async (path: string) => (await visit(VISITOR, path)).json().message;

const variants = async () => (await service.services.variants.stats()).fileCount;
const pending = async () => (await service.services.queue.stats()).pending;

describe('transcodes of a presigned upload', () => {
  test('count for its client, as those of a visitor do', async () => {
    await start({ VIDEO_QUEUE_MAX_PER_CLIENT: '2' });
    const file = await uploadOne('v.mp4', VIDEO, 'w_20', 'w_22', 'w_24', 'w_26');
    expect(file.queuedTransformationUrls).toEqual(['/t/w_20/in/v.mp4', '/t/w_22/in/v.mp4']);
    expect(file.queueErrors).toEqual([
      expect.stringMatching(/^w_24: .*VIDEO_QUEUE_MAX_PER_CLIENT/),
      expect.stringMatching(/^w_26: .*VIDEO_QUEUE_MAX_PER_CLIENT/),
    ]);
    expect((await visit(BROWSER, '/t/w_28/in/v.mp4')).status).toBe(429);
    expect((await visit(VISITOR, '/t/w_28/in/v.mp4')).status).toBe(202);
    const own = await service.upload({ 'own.mp4': VIDEO }, { transformations: 'w_20;w_22;w_24;w_26' });
    expect(await own.json()).toMatchObject({ files: [{ queueErrors: [] }] });
  });

  test('leave a tenth of the queue to keys, from however many addresses they come', async () => {
    await start({ VIDEO_QUEUE_MAX: '10', VIDEO_QUEUE_MAX_PER_CLIENT: '4' });
    for (const from of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
      const transformations = ['w_20', 'w_22', 'w_24', 'w_26'];
      await uploadPresigned(service.url, { folder: from, from, files: { 'v.mp4': VIDEO }, transformations });
    }
    expect(await pending()).toBe(9);
    const refused = await visit(VISITOR, '/t/w_90/198.51.100.1/v.mp4');
    expect([refused.status, refused.json().code]).toEqual([503, 'queue_full']);
    const own = await service.upload({ 'own.mp4': VIDEO }, { transformations: 'w_20' });
    expect(await own.json()).toMatchObject({ files: [{ queueErrors: [] }] });
    expect(await pending()).toBe(10);
  });

  test('of a resumable upload count for the client that began it', async () => {
    await start({ VIDEO_QUEUE_MAX_PER_CLIENT: '1' });
    const fields = { ...presignedFields('in'), filename: 'v.mp4', transformations: 'w_20;w_22;w_24' };
    const browser = tusAt(service.url, { 'x-forwarded-for': BROWSER });
    const path = pathOf(await browser.begin(VIDEO.length, fields));
    // Another address continues.
    expect((await tusAt(service.url, { 'x-forwarded-for': VISITOR }).patch(path, 0, VIDEO)).status).toBe(204);
    expect((await browser.call('GET', path)).json()).toMatchObject({
      files: [
        {
          queuedTransformationUrls: ['/t/w_20/in/v.mp4'],
          queueErrors: [expect.stringMatching(/^w_22: /), expect.stringMatching(/^w_24: /)],
        },
      ],
    });
    expect((await visit(BROWSER, '/t/w_28/in/v.mp4')).status).toBe(429);
    expect((await visit(VISITOR, '/t/w_28/in/v.mp4')).status).toBe(202);
    const key = tusAt(service.url);
    const own = pathOf(await key.begin(VIDEO.length, { filename: 'own.mp4', transformations: 'w_20;w_22;w_24' }));
    await key.patch(own, 0, VIDEO);
    expect((await key.call('GET', own)).json()).toMatchObject({ files: [{ queueErrors: [] }] });
  });
});

describe('renders of a presigned upload', () => {
  test('are charged to its client, and refused without a budget', async () => {
    await start({ RENDER_BUDGET_PER_CLIENT: '1' });
    const file = await uploadOne('x.png', picture(), 'w_10,f_png', 'w_11,f_png', 'w_12');
    expect(file.prewarmedUrls).toEqual(['/t/w_10,f_png/in/x.png']);
    expect(file.prewarmErrors).toEqual([
      expect.stringMatching(/^w_11,f_png: .*RENDER_BUDGET_PER_CLIENT/),
      expect.stringMatching(/^w_12: .*RENDER_BUDGET_PER_CLIENT/),
    ]);
    expect((await visit(BROWSER, '/t/w_13,f_png/in/x.png')).status).toBe(429);
    expect((await visit(VISITOR, '/t/w_13,f_png/in/x.png')).status).toBe(200);
    const own = await service.upload({ 'own.png': picture() }, { transformations: 'w_10,f_png;w_11,f_png;w_12,f_png' });
    expect(await own.json()).toMatchObject({ files: [{ prewarmErrors: [] }] });
  });

  test('include the conversion of a HEIC, which is 429 without a budget', async () => {
    await start({ RENDER_BUDGET_PER_CLIENT: '1' });
    expect((await upload({ 'first.heic': fixture('still.heic') })).status).toBe(200);
    const { status, retryAfter, code, message } = await upload({ 'second.heic': fixture('still.heic') });
    expect([status, code, message]).toEqual([
      429,
      'too_much_work',
      expect.stringContaining('RENDER_BUDGET_PER_CLIENT'),
    ]);
    expect(Number(retryAfter)).toBeGreaterThan(0);
    const some = await upload({ 'x.png': picture(), 'third.heic': fixture('still.heic') });
    expect(some).toMatchObject({
      status: 207,
      files: [{ path: 'in/x.png' }],
      errors: [{ filename: 'third.heic', code: 'too_much_work' }],
    });
    const reversed = await upload({ 'fourth.heic': fixture('still.heic'), 'y.png': picture() });
    expect(reversed).toMatchObject({
      status: 207,
      files: [{ path: 'in/y.png' }],
      errors: [{ filename: 'fourth.heic', code: 'too_much_work' }],
    });
    const none = await upload({ 'fifth.heic': fixture('still.heic'), 'sixth.heic': fixture('still.heic') });
    expect([none.status, none.code]).toEqual([429, 'too_much_work']);
    expect((await service.upload({ 'own.heic': fixture('still.heic') })).status).toBe(200);
    expect((await service.upload({ 'own two.heic': fixture('still.heic') })).status).toBe(200);
  });
});

describe('where DELIVERY_MODE is presets', () => {
  test('a presigned upload prewarms presets alone, with the refusal that a visitor gets', async () => {
    await start({ DELIVERY_MODE: 'presets', PRESETS: 'thumb=w_10,f_png;clip=w_20;stream=f_hls' });
    const file = await uploadOne('x.png', picture(), 'n_thumb', 'w_10,f_png', 'w_11,f_png');
    expect(file.prewarmedUrls).toEqual(['/t/n_thumb/in/x.png', '/t/w_10,f_png/in/x.png']);
    expect(file.prewarmErrors).toEqual([`w_11,f_png: ${await refusalOf('/t/w_11,f_png/in/x.png')}`]);
    const video = await uploadOne('v.mp4', VIDEO, 'n_clip', 'n_stream', 'w_22');
    expect(video.queuedTransformationUrls).toEqual(['/t/n_clip/in/v.mp4', '/t/n_stream/in/v.mp4']);
    expect(video.queueErrors).toEqual([`w_22: ${await refusalOf('/t/w_22/in/v.mp4')}`]);
    const own = await service.upload({ 'own.png': picture() }, { transformations: 'w_11,f_png' });
    expect(await own.json()).toMatchObject({ files: [{ prewarmErrors: [] }] });
  });
});

describe('where DELIVERY_MODE is signed', () => {
  test('a presigned upload prewarms nothing', async () => {
    await start({ DELIVERY_MODE: 'signed', PRESETS: 'thumb=w_10,f_png' });
    const file = await uploadOne('x.png', picture(), 'n_thumb', 'w_10,f_png');
    const message = await refusalOf('/t/w_10,f_png/in/x.png');
    expect(file.prewarmedUrls).toEqual([]);
    expect(file.prewarmErrors).toEqual([`n_thumb: ${message}`, `w_10,f_png: ${message}`]);
    const video = await uploadOne('v.mp4', VIDEO, 'w_20', 'f_hls', 't_true,f_png');
    expect(video.queueErrors).toEqual([`w_20: ${message}`, `f_hls: ${message}`]);
    expect(video.prewarmErrors).toEqual([`t_true,f_png: ${message}`]);
    expect([await variants(), await pending()]).toEqual([0, 0]);
    const own = await service.upload({ 'own.png': picture() }, { transformations: 'w_10,f_png' });
    expect(await own.json()).toMatchObject({ files: [{ prewarmErrors: [] }] });
  });

  test('its answer is the same whether a file that it names exists or not', async () => {
    await start({ DELIVERY_MODE: 'signed' });
    await service.place('hr/x.png', picture());
    const there = ['w_10~l_hr:x.png', 'w_20,f_png~l_hr:x.png'];
    const missing = there.map((text) => text.replace('x.png', 'y.png'));
    for (const [name, bytes] of [['a.png', picture()] as const, ['v.mp4', VIDEO] as const]) {
      const answers = await Promise.all(
        [there, missing].map((transformations, n) =>
          uploadPresigned(service.url, { folder: `${n}`, from: BROWSER, files: { [name]: bytes }, transformations }),
        ),
      );
      const [known, unknown] = answers.map((answer) => JSON.stringify(answer));
      expect(known).toContain('hr:x.png: ');
      expect(known?.replaceAll('x.png', 'y.png').replaceAll('"0/', '"1/').replaceAll('/0/', '/1/')).toBe(unknown);
    }
  });

  test('an upload that is wrong as a whole is still 400', async () => {
    await start({ DELIVERY_MODE: 'signed' });
    const many = Array.from({ length: 21 }, (_, n) => `w_${n + 1}`);
    for (const transformations of [['w_0'], ['holiday'], many]) {
      expect((await upload({ 'x.png': picture() }, ...transformations)).status).toBe(400);
    }
    const { files } = await service.services.originals.store.list(parsePath('in')).catch(() => ({ files: [] }));
    expect(files).toEqual([]);
  });
});
