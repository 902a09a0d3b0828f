import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, createApi, type Schemas } from '../../packages/client/src/api.ts';
import { fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { ROOT } from '../source-files.ts';

const FOLDER = 'trips/rome 1';
const bytes = new Uint8Array(fixture('flag-alpha.png'));
const picture = (name: string) => new File([bytes], name, { type: 'image/png' });

let service: TestService;
let api: Api;
beforeAll(async () => {
  service = await startService({ API_SECRET: 'a-secret-for-signed-urls-of-clients' });
  api = createApi({ baseUrl: service.url, apiKey: TEST_KEY });
});
afterAll(() => service.close());

/** Returns the data of a response; an error fails the test. */
function dataOf<T>({ data, error }: { data?: T; error?: unknown }): T {
  expect(error).toBeUndefined();
  return data as T;
}

const filesOf = async (path: string) => {
  const { files } = dataOf(await api.GET('/storage', { params: { query: { path } } }));
  return files.map((file: Schemas['StoredFile']) => file.name);
};

describe('the client of the API', () => {
  test('uploads files as a form, with its other fields', async () => {
    const body = { files: [picture('a+ä.png'), picture('b.png')], folder: FOLDER, names: ['c&d 1.png', 'b.png'] };
    const { success, files } = dataOf(await api.POST('/upload', { body }));
    expect([success, files.map(({ path }) => path)]).toEqual([true, [`${FOLDER}/c&d 1.png`, `${FOLDER}/b.png`]]);
    expect(await filesOf(FOLDER)).toEqual(['b.png', 'c&d 1.png']);
  });

  test('takes paths as the library has them: describes, renames, replaces and deletes files in folders', async () => {
    const at = (name: string) => ({ params: { path: { path: `${FOLDER}/${name}` } } });
    expect(dataOf(await api.GET('/storage/{path}/metadata', at('c&d 1.png'))).size).toBe(bytes.length);
    const renamed = await api.PATCH('/storage/{path}', { ...at('c&d 1.png'), body: { name: '100% +.png' } });
    expect(dataOf(renamed).path).toBe(`${FOLDER}/100% +.png`);
    // The content type of a file's bytes is known; no type is invented for them.
    const replaced = await api.PUT('/storage/{path}', { ...at('100% +.png'), body: new Blob([bytes]) });
    expect(dataOf(replaced).size).toBe(bytes.length);
    expect(dataOf(await api.DELETE('/storage/{path}', at('100% +.png'))).success).toBe(true);
    expect(await filesOf(FOLDER)).toEqual(['b.png']);
  });

  test('gets variants as bytes, and signs URLs', async () => {
    const path = `${FOLDER}/b.png`;
    const variant = await api.GET('/t/{transformations}/{path}', {
      params: { path: { transformations: 'w_10,f_webp', path } },
      parseAs: 'blob',
    });
    expect(dataOf<Blob>(variant).type).toBe('image/webp');
    const body = { path, transformation: 'w_10' };
    const { url } = dataOf(await api.POST('/delivery/sign', { body }));
    expect((await fetch(service.url + url)).status).toBe(200);
  });

  test('has types that know what a file is', () => {
    // Never called: tsc checks their types.
    const upload = () => api.POST('/upload', { body: { files: [picture('a.png')] } });
    // @ts-expect-error a name is no file
    const uploadName = () => api.POST('/upload', { body: { files: ['a.png'] } });
    // @ts-expect-error there is no such parameter
    const list = () => api.GET('/storage', { params: { query: { folder: 'a' } } });
    expect([upload, uploadName, list]).toHaveLength(3);
  });

  test('gives an error with its code, and knows all codes', async () => {
    const { error, response } = await api.DELETE('/storage/{path}', { params: { path: { path: 'no/such.png' } } });
    const code: Schemas['ErrorCode'] | undefined = error?.code;
    expect([response.status, code]).toEqual([404, 'not_found']);
  });

  test('refuses a path that no file has, before anything is asked', async () => {
    const asked = api.GET('/storage/{path}/metadata', { params: { path: { path: 'a/../b.png' } } });
    await expect(asked).rejects.toThrow('"path": expected the path of a file');
  });

  test('asks as anybody without a key', async () => {
    const anybody = createApi({ baseUrl: `${service.url}/` });
    expect((await anybody.GET('/storage')).error?.code).toBe('unauthorized');
    expect(dataOf(await anybody.GET('/livez')).status).toBe('ok');
  });

  test('does what docs/api-clients.md shows', async () => {
    const page = await readFile(join(ROOT, 'docs', 'api-clients.md'), 'utf8');
    const [, shown = ''] = /## darkroom-client[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? [];
    const code = shown
      .replace('darkroom-client/api', join(ROOT, 'packages', 'client', 'src', 'api.ts'))
      .replace('http://localhost:3000', service.url);
    const program = `import { openAsBlob } from 'node:fs';\nconst picture = new File([await openAsBlob(process.env.PICTURE)], 'shown.png');\n${code}\nconsole.log(path, asset?.size);`;
    const run = promisify(execFile);
    const environment = {
      ...process.env,
      DARKROOM_KEY: TEST_KEY,
      PICTURE: join(ROOT, 'test', 'fixtures', 'flag-alpha.png'),
    };
    const { stdout } = await run('node', ['--input-type=module-typescript', '-e', program], { env: environment });
    expect(stdout).toBe(`${FOLDER}/shown.png ${bytes.length}\n`);
  });

  test('asks by the fetch that it is given', async () => {
    const asked: string[] = [];
    const counting = createApi({
      baseUrl: service.url,
      fetch: (request) => {
        asked.push(request.url);
        return fetch(request);
      },
    });
    await counting.GET('/video-status/{path}', { params: { path: { path: 'w_10,h_20/trips/b & c.mp4' } } });
    expect(asked).toEqual([`${service.url}/video-status/w_10%2Ch_20/trips/b%20%26%20c.mp4`]);
  });
});
