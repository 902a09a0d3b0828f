import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ListingPage } from '../../src/library/listing.ts';
import type { UploadResult } from '../../src/library/upload.ts';
import { ask } from '../http.ts';
import { type LibraryService, picture, startLibrary } from '../library.ts';
import { apply, type Command, command, type Model, NAMES, nameOf, type Outcome, parentOf } from '../library-model.ts';

let service: LibraryService;
beforeAll(async () => {
  service = await startLibrary({ PUBLIC_RATE_LIMIT_MAX: '0', LOG_LEVEL: 'silent' });
});
afterAll(() => service.close());

const encode = (one: string) => one.split('/').map(encodeURIComponent).join('/');

function run({ call, authorized }: LibraryService, one: Command, mark: string) {
  const target = encode(one.path);
  switch (one.type) {
    case 'upload':
      return upload(authorized, one.path, mark);
    case 'createfolder':
      return createFolder(authorized, one.path);
    case 'rename':
      return call('PATCH', `/storage/${target}`, { name: one.name }).then(answerOf);
    case 'delete':
      return call('DELETE', `/storage/${target}?recursive=${one.recursive}`).then(answerOf);
    default:
      return call('POST', `/storage/${target}/${one.type}`, { destination: one.destination }).then(answerOf);
  }
}

function answerOf(answer: { status: number; json(): Record<string, unknown> }): Outcome {
  const { path: where } = answer.json();
  return { status: answer.status, path: typeof where === 'string' ? where : undefined };
}

async function upload(authorized: LibraryService['authorized'], where: string, mark: string): Promise<Outcome> {
  const form = new FormData();
  form.append('folder', parentOf(where));
  form.append('files', new Blob([picture(mark) as Uint8Array<ArrayBuffer>]), nameOf(where));
  const response = await authorized('/upload', { method: 'POST', body: form });
  const { files } = (await response.json()) as UploadResult;
  return { status: response.status, path: files[0]?.path };
}

async function createFolder(authorized: LibraryService['authorized'], where: string): Promise<Outcome> {
  const form = new FormData();
  form.append('folder', where);
  const { status } = await authorized('/upload/createfolder', { method: 'POST', body: form });
  return { status, path: undefined };
}

/** Returns the whole content of the service, assembled from its listings. */
async function browse(where = ''): Promise<{ files: string[]; folders: string[] }> {
  const page = (
    await service.call('GET', `/storage?path=${encodeURIComponent(where)}`)
  ).json() as unknown as ListingPage;
  const found = { files: page.files.map((each) => each.path), folders: page.folders.map((each) => each.path) };
  for (const below of page.folders) {
    const { files, folders } = await browse(below.path);
    found.files.push(...files);
    found.folders.push(...folders);
  }
  return { files: found.files.sort(), folders: found.folders.sort() };
}

async function expectAgreement(model: Model): Promise<void> {
  const folders = [...model.folders].sort();
  expect(await browse()).toEqual({ files: [...model.files.keys()].sort(), folders });
  expect((await service.call('GET', '/storage/folders')).json()).toEqual({ folders });
  const { storage } = (await service.call('GET', '/storage/stats')).json();
  const sizes = [...model.files.values()].map((mark) => picture(mark).length);
  expect(storage).toEqual({ size: sizes.reduce((sum, size) => sum + size, 0), fileCount: sizes.length });
}

/** Expects originals, variants and downloads to match the model; deleted files are missing everywhere. */
async function expectBytes(model: Model, touched: readonly string[]): Promise<void> {
  for (const where of new Set(touched)) {
    const mark = model.files.get(where);
    for (const url of [`/t/${encode(where)}`, `/download/${encode(where)}`]) {
      const answer = await ask(service.url, url);
      if (mark === undefined) expect(answer.status, url).toBe(404);
      else expect(answer.body.equals(picture(mark)), url).toBe(true);
    }
    const variant = await ask(service.url, `/t/w_4,f_png/${encode(where)}`);
    expect(variant.status).toBe(mark === undefined ? 404 : 200);
  }
}

test('after every step, what the service shows is what a simple model says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 30 }), async (commands) => {
      await service.clear();
      const model: Model = { files: new Map(), folders: new Set() };
      for (const [index, one] of commands.entries()) {
        const mark = `step ${index}`;
        const expected = apply(model, one, mark);
        expect({ one, ...(await run(service, one, mark)) }).toEqual({ one, ...expected });
        await expectAgreement(model);
        await expectBytes(
          model,
          [one.path, expected.path ?? one.path].filter((each) => NAMES.some((name) => each.endsWith(name))),
        );
      }
    }),
    { numRuns: 25 },
  );
});

test('whatever runs at the same time, no file is lost that nobody deleted', async () => {
  const parallel = command.filter(({ type }) => type !== 'delete');
  await fc.assert(
    fc.asyncProperty(fc.array(parallel, { minLength: 20, maxLength: 60 }), async (commands) => {
      await service.clear();
      await service.store('a.png', 'f/a.png', 'f/g/b.png', 'h x/a.png');
      const marks = ['a.png', 'f/a.png', 'f/g/b.png', 'h x/a.png'];
      const outcomes = await Promise.all(commands.map((one, index) => run(service, one, `p${index}`)));
      for (const [index, { status }] of outcomes.entries()) {
        expect([200, 201, 400, 404, 409], JSON.stringify(commands[index])).toContain(status);
        if (commands[index]?.type === 'upload' && status === 200) marks.push(`p${index}`);
      }
      const copies = commands.filter(({ type }, index) => type === 'copy' && outcomes[index]?.status === 200).length;
      const { files } = await browse();
      expect(files).toHaveLength(marks.length + copies);
      const contents = await Promise.all(
        files.map(async (each) => (await ask(service.url, `/t/${encode(each)}`)).body),
      );
      for (const mark of marks)
        expect(
          contents.some((bytes) => bytes.equals(picture(mark))),
          mark,
        ).toBe(true);
      const { storage } = (await service.call('GET', '/storage/stats')).json() as { storage: unknown };
      expect(storage).toEqual({ size: contents.reduce((sum, each) => sum + each.length, 0), fileCount: files.length });
    }),
    { numRuns: 15 },
  );
});

test('100 uploads of one name at once are 100 files, and 100 moves to one name too', async () => {
  await service.clear();
  const uploads = await Promise.all(
    Array.from({ length: 100 }, (_, n) => upload(service.authorized, 'f/x.png', `${n}`)),
  );
  expect(new Set(uploads.map(({ path }) => path)).size).toBe(100);
  const moves = await Promise.all(
    uploads.map(({ path = '' }) => service.call('POST', `/storage/${encode(path)}/move`, { destination: 'all' })),
  );
  expect(new Set(moves.map((answer) => answer.json().path)).size).toBe(100);
  const { files } = (await service.call('GET', '/storage?path=all')).json() as unknown as ListingPage;
  const contents = await Promise.all(
    files.map(async ({ path }) => (await ask(service.url, `/t/${encode(path)}`)).body),
  );
  expect(new Set(contents.map(String)).size).toBe(100);
});
