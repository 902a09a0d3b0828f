import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ask, fixture } from '../../http.ts';
import { preparePackages } from '../../packages.ts';
import { type ServiceProcess, startServiceProcess } from '../../process/service-process.ts';
import { describeOnS3, environmentOf, newBucket } from '../bucket.ts';
import { type Span, startCollector } from './collector.ts';

const API_KEY = 'dr_tracing-test-key-0123456789-0123456789';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const VARIANT = '/t/w_300,f_webp/a/photo.jpg';
const CLIP = '/t/w_160,so_0,eo_1,f_mp4/a/clip.mp4';
const CLIP_STATUS = CLIP.replace('/t/', '/video-status/');
const POLL = { timeout: 120_000, interval: 100 };

const packages = await preparePackages(import.meta.dirname, 'traces');

/** Creates the folder that the documentation describes. */
async function writeModule(folder: string): Promise<string> {
  await mkdir(folder);
  const page = await readFile(new URL('../../../docs/monitoring.md', import.meta.url), 'utf8');
  const [, module = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
  await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'tracing.mjs'), module);
  return join(folder, 'tracing.mjs');
}

describeOnS3('a service whose operator has added an SDK of OpenTelemetry', () => {
  beforeEach(({ skip }) => {
    if ('missing' in packages) skip(packages.missing);
  });
  let folder = '';
  let spans: readonly Span[];

  beforeAll(async () => {
    if ('missing' in packages) return;
    folder = await mkdtemp(join(tmpdir(), 'darkroom-tracing-'));
    const collector = await startCollector();
    const service = await startServiceProcess({
      ...environmentOf(await newBucket()),
      DATA_DIR: join(folder, 'data'),
      API_KEY,
      RENDER_WORKERS: '1',
      CATALOG_DESCRIBE: 'false',
      TRACING_MODULE: await writeModule(join(folder, 'tracing')),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    await visit(service);
    // Queued spans are sent before it ends.
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
    spans = collector.spans;
    collector.close();
  });
  afterAll(() => folder && rm(folder, { recursive: true, force: true }));

  /** Uploads two files, requests a variant three times, a missing file, and a part of a video. */
  async function visit({ url }: ServiceProcess): Promise<void> {
    const form = new FormData();
    form.append('folder', 'a');
    form.append('files', new Blob([fixture('no-face.jpg')]), 'photo.jpg');
    form.append('files', new Blob([fixture('schizo_90.mp4')]), 'clip.mp4');
    const authorization = `Bearer ${API_KEY}`;
    expect(await fetch(`${url}/upload`, { method: 'POST', headers: { authorization }, body: form })).toMatchObject({
      ok: true,
    });
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'first' };
    for (const more of [headers, { 'x-request-id': 'second' }, { 'x-request-id': 'third' }]) {
      expect(await ask(url, VARIANT, { headers: more })).toMatchObject({ status: 200 });
    }
    expect(await ask(url, '/t/w_300/nothing.jpg')).toMatchObject({ status: 404 });
    expect(await ask(url, CLIP)).toMatchObject({ status: 202 });
    // A request for the clip itself at the moment its job ends adds another one, which finds nothing to do.
    await vi.waitUntil(async () => (await ask(url, CLIP_STATUS)).json().status === 'completed', POLL);
    expect(await ask(url, CLIP)).toMatchObject({ status: 200 });
  }

  const named = (name: string) => spans.filter((span) => span.name === name);
  const delivered = (path: string) => named('deliver').filter(({ attributes }) => attributes.path === path);

  test('tells of a picture that is rendered, in the trace of who asked for it', () => {
    const [deliver] = delivered('a/photo.jpg');
    expect(deliver).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, kind: 2 });
    const attributes = { transformation: 'w_300,f_webp', kind: 'variant', hit: false, 'request.id': 'first' };
    expect(deliver?.attributes).toMatchObject(attributes);
    const parts = spans.filter(({ parentSpanId }) => parentSpanId === deliver?.spanId);
    expect(parts.map(({ name, attributes: { task } }) => task ?? name)).toEqual(
      expect.arrayContaining(['wait', 'render']),
    );
    expect(parts.filter(({ name }) => name === 'store').map(({ attributes: { command } }) => command)).toEqual(
      expect.arrayContaining(['GetObjectCommand']),
    );
    expect(parts.every(({ traceId }) => traceId === TRACE)).toBe(true);
  });

  test('says of a cached picture that it was found, and nothing of one that is sent from memory at once', () => {
    const found = delivered('a/photo.jpg').map(({ attributes: { hit, ...more } }) => [more['request.id'], hit]);
    expect(found).toEqual([
      ['first', false],
      ['second', true],
    ]);
  });

  test('takes what a client has done wrong for no failure', () => {
    const [missing] = delivered('nothing.jpg');
    expect(missing).toMatchObject({ status: { code: 0 } });
    expect(missing?.parentSpanId ?? '').toBe('');
  });

  test('tells of jobs, and what ffmpeg did in them', () => {
    const [job, ...more] = named('job');
    expect(more).toEqual([]);
    expect(job?.attributes).toMatchObject({ kind: 'transcode', path: 'a/clip.mp4' });
    const encodes = named('encode').filter(({ traceId }) => traceId === job?.traceId);
    expect(encodes.length).toBeGreaterThan(0);
    expect(delivered('a/clip.mp4').map(({ attributes: { kind } }) => kind)).toContain('pending');
  });
});
