import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { type LibraryService, picture, startLibrary } from '../library.ts';
import { nameOf, type Outcome, parentOf } from '../library-model.ts';
import {
  applyChange,
  type Change,
  emptyReference,
  pathsOfInterest,
  type Reference,
  resolve,
} from '../redirects-model.ts';

let service: LibraryService;
beforeAll(async () => {
  service = await startLibrary({
    PUBLIC_RATE_LIMIT_MAX: '0',
    LOG_LEVEL: 'silent',
    ORIGINAL_CHECK_INTERVAL_MS: '60000',
  });
});
afterAll(() => service.close());

const NAMES = ['a.png', 'b.png'];
const FOLDERS = ['f', 'f/g', 'h'];
const file = fc
  .tuple(fc.constantFrom('', ...FOLDERS), fc.constantFrom(...NAMES))
  .map(([folder, name]) => (folder === '' ? name : `${folder}/${name}`));
const folder = fc.constantFrom(...FOLDERS);
const path = fc.oneof({ weight: 2, arbitrary: file }, { weight: 1, arbitrary: folder });
const redirect = fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('upload' as const), path: file }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('rename' as const),
      path,
      name: fc.constantFrom(...NAMES, 'f', 'g', 'h'),
      redirect,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('move' as const),
      path,
      destination: fc.constantFrom('', ...FOLDERS),
      redirect,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('delete' as const), path, recursive: fc.constant(true as const) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('trash' as const), path }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('restore' as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('redirect' as const), from: path, to: path }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('forget' as const), from: path }) },
);

/** Mostly, a change is one of something that exists. */
const pick = fc.option(fc.nat(), { freq: 4, nil: undefined });
const START = ['f/a.png', 'f/g/b.png', 'a.png'];

function withExisting(one: Change, chosen: number | undefined, { model }: Reference): Change {
  const paths = [...model.files.keys(), ...model.folders];
  const path = chosen === undefined ? undefined : paths[chosen % paths.length];
  if (path === undefined) return one;
  if (one.type === 'redirect') return { ...one, to: path };
  return 'path' in one && one.type !== 'upload' ? { ...one, path } : one;
}

const encode = (one: string) => one.split('/').map(encodeURIComponent).join('/');
const call = async (method: string, url: string, body?: unknown) => outcomeOf(await service.call(method, url, body));

function outcomeOf(answer: { status: number; json(): Record<string, unknown> }): Outcome {
  const { path: where } = answer.json();
  return { status: answer.status, path: typeof where === 'string' ? where : undefined };
}

async function run(one: Change, mark: string): Promise<Outcome> {
  switch (one.type) {
    case 'upload': {
      const form = new FormData();
      form.append('folder', parentOf(one.path));
      form.append('files', new Blob([picture(mark) as Uint8Array<ArrayBuffer>]), nameOf(one.path));
      const response = await service.authorized('/upload', { method: 'POST', body: form });
      const { files } = (await response.json()) as { files: { path: string }[] };
      return { status: response.status, path: files[0]?.path };
    }
    case 'rename':
      return call('PATCH', `/storage/${encode(one.path)}`, { name: one.name, redirect: one.redirect });
    case 'move': {
      const { destination, redirect } = one;
      return call('POST', `/storage/${encode(one.path)}/move`, { destination, redirect });
    }
    case 'delete':
      return call('DELETE', `/storage/${encode(one.path)}?recursive=true`);
    case 'trash':
      return call('DELETE', `/storage/${encode(one.path)}?recursive=true&trash=true`);
    case 'restore': {
      const { items } = (await service.call('GET', '/trash?limit=1')).json() as { items: { id: string }[] };
      return call('POST', `/trash/${items[0]?.id ?? 'none'}/restore`);
    }
    case 'redirect':
      return call('POST', '/redirects', { from: one.from, to: one.to });
    case 'forget':
      return call('DELETE', `/redirects?from=${encodeURIComponent(one.from)}`);
  }
}

/** The redirects, and for each path what its original and its variant are, and where they say that they are. */
async function expectAgreement(reference: Reference): Promise<void> {
  const { redirects } = (await service.call('GET', '/redirects?limit=1000')).json() as {
    redirects: { from: string; isOverruled: boolean }[];
  };
  expect(redirects.map(({ from, isOverruled }) => [from, isOverruled])).toEqual(
    [...reference.aliases.keys()]
      .sort()
      .map((from) => [from, !reference.aliases.get(from)?.isFolder && reference.model.files.has(from)]),
  );
  for (const one of pathsOfInterest(reference, NAMES)) {
    const end = resolve(reference, one);
    const original = await ask(service.url, `/t/${encode(one)}`);
    const variant = await ask(service.url, `/t/w_4,f_png/${encode(one)}`);
    const link = (segment: string) =>
      end === undefined || end === one ? undefined : `</t/${segment}${encode(end)}>; rel="canonical"`;
    const isImage = one.endsWith('.png');
    if (isImage) expect([one, variant.status]).toEqual([one, end === undefined ? 404 : 200]);
    if (isImage && end !== undefined) expect([one, variant.headers.link]).toEqual([one, link('w_4,f_png/')]);
    expect([one, original.status]).toEqual([one, end === undefined ? 404 : 200]);
    if (end === undefined) continue;
    expect([one, original.headers.link]).toEqual([one, link('')]);
    expect([one, original.body.equals(picture(reference.model.files.get(end)))]).toEqual([one, true]);
  }
}

async function clear(): Promise<void> {
  await service.clear();
  await service.services.trash.empty();
  const { redirects } = (await service.call('GET', '/redirects?limit=1000')).json() as {
    redirects: { from: string }[];
  };
  for (const { from } of redirects) await call('DELETE', `/redirects?from=${encodeURIComponent(from)}`);
}

test('after every change, each previous URL delivers what a simple model says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(change, pick), { minLength: 8, maxLength: 30 }), async (changes) => {
      await clear();
      const reference = emptyReference();
      const all = [...START.map((path) => [{ type: 'upload', path } as const, undefined] as const), ...changes];
      for (const [index, [drawn, chosen]] of all.entries()) {
        const one = withExisting(drawn, chosen, reference);
        const mark = `step ${index}`;
        const expected = applyChange(reference, one, mark);
        expect({ one, ...(await run(one, mark)) }).toEqual({ one, ...expected });
        await expectAgreement(reference);
      }
    }),
    { numRuns: 25 },
  );
});
