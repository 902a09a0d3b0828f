import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeAs, isoTime, type LibraryService, problem, startLibrary } from '../library.ts';

let service: LibraryService;

beforeAll(async () => {
  service = await startLibrary({ TRASH_DAYS: '2' });
  await service.store('trips/rome/colosseum.png', 'trips/paris.png', 'tall.png', 'square.png', 'twin.png');
  await service.place('notes.txt', 'text');
  for (const path of ['trips/rome/colosseum.png', 'trips/paris.png', 'tall.png', 'square.png', 'twin.png', 'notes.txt'])
    expect((await service.call('GET', `/assets/${path}`)).status).toBe(200);
  const described = { sha256: 'a'.repeat(64), perceptualHash: '0123456789abcdef' };
  const rome = { width: 400, height: 200, takenAt: Date.UTC(2026, 4, 1), dominantColour: '#ff0000' };
  await describeAs(service, 'trips/rome/colosseum.png', { ...rome, perceptualHash: 'f0f0f0f0f0f0f0f0' });
  await describeAs(service, 'trips/paris.png', {
    width: 300,
    height: 200,
    takenAt: Date.UTC(2026, 5, 1),
    duration: 7.5,
  });
  const problem = 'It ends too early.';
  await describeAs(service, 'tall.png', { width: 100, height: 900, dominantColour: '#0000ff', problem });
  await describeAs(service, 'square.png', { width: 50, height: 50, ...described });
  await describeAs(service, 'twin.png', { width: 51, height: 50, ...described });
  const words = { title: 'The Colosseum', tags: ['italy', 'night'], fields: { licence: 'CC BY', stars: 5 } };
  await service.call('PATCH', '/assets/trips/rome/colosseum.png', words);
  await service.call('PATCH', '/assets/trips/paris.png', { alt: 'Streets of Paris', tags: ['night'] });
});
afterAll(() => service.close());

async function found(query: string): Promise<string[]> {
  const answer = await service.call('GET', `/assets?${query}`);
  expect(answer.status, answer.body.toString()).toBe(200);
  return (answer.json().assets as { name: string }[]).map(({ name }) => name);
}

const ALL = ['colosseum.png', 'notes.txt', 'paris.png', 'square.png', 'tall.png', 'twin.png'];

describe('GET /assets', () => {
  test.each([
    ['all, by name', '', ALL],
    ['words of a title', 'q=colosseum', ['colosseum.png']],
    ['words of an alt, and the last one begun', 'q=streets%20par', ['paris.png']],
    ['a tag as a word', 'q=italy', ['colosseum.png']],
    ['a word that is nearly there', 'q=coloseum', ['colosseum.png']],
    ['a word that nobody has written', 'q=zzzzqqqq', []],
    ['signs alone, which are no word', `q=${encodeURIComponent('🎉 "(*')}`, []],
    ['words among signs', `q=${encodeURIComponent('*"colosseum" ( 🎉')}`, ['colosseum.png']],
    ['no words at all', 'q=%20', ALL],
    ['a folder', 'folder=trips', ['paris.png']],
    ['a folder and those below it', 'folder=trips&recursive=true', ['colosseum.png', 'paris.png']],
    ['the root folder alone', 'folder=', ['notes.txt', 'square.png', 'tall.png', 'twin.png']],
    ['parts of words in the path', 'search=TRI%20oss', ['colosseum.png']],
    ['parts of words below a folder alone', 'search=trips&folder=trips&recursive=true', []],
    ['parts of words with words of a title', 'search=rom&q=colosseum', ['colosseum.png']],
    ['files without a tag', 'untagged=true&folder=', ['notes.txt', 'square.png', 'tall.png', 'twin.png']],
    ['images without an alt', 'withoutAlt=true&folder=trips&recursive=true', ['colosseum.png']],
    ['what cannot be decoded', 'undecodable=true', ['tall.png']],
    ['a kind', 'kind=document', ['notes.txt']],
    ['a tag', 'tag=night', ['colosseum.png', 'paris.png']],
    ['two tags', 'tag=night&tag=italy', ['colosseum.png']],
    ['one tag without another', 'tag=night&tag=-italy', ['paris.png']],
    ['a size at most', 'maxSize=10', ['notes.txt']],
    ['a size at least', 'minSize=1000000', []],
    ['a width', 'minWidth=300&maxWidth=399', ['paris.png']],
    ['a height', 'minHeight=900', ['tall.png']],
    ['landscape', 'orientation=landscape', ['colosseum.png', 'paris.png', 'twin.png']],
    ['portrait', 'orientation=portrait', ['tall.png']],
    ['square', 'orientation=square', ['square.png']],
    ['a duration', 'minDuration=7.5&maxDuration=8', ['paris.png']],
    ['taken from a day on', 'takenAfter=2026-06-01', ['paris.png']],
    ['taken before a time', 'takenBefore=2026-06-01T00:00:00Z', ['colosseum.png']],
    ['changed before a day', 'modifiedBefore=2001-01-01', []],
    ['changed from a day on', 'modifiedAfter=2001-01-01', ALL],
    ['a colour like it', 'colour=fa0808', ['colosseum.png']],
    ['a colour of three digits', 'colour=%2300f', ['tall.png']],
    ['a custom field', 'field.licence=CC%20BY&field.stars=5', ['colosseum.png']],
    ['a custom field of another value', 'field.stars=4', []],
    [
      'the other order',
      'sort=name&order=desc&kind=image',
      ['twin.png', 'tall.png', 'square.png', 'paris.png', 'colosseum.png'],
    ],
    ['by when they were taken', 'sort=taken&order=desc&tag=night', ['paris.png', 'colosseum.png']],
  ])('finds %s', async (_what, query, names) => {
    expect(await found(query)).toEqual(names);
  });

  test.each(['created', 'mtime', 'size', 'relevance'])('sorts by %s', async (sort) => {
    expect((await found(`sort=${sort}`)).toSorted()).toEqual(ALL);
  });

  test('gives pages, and how many there are', async () => {
    const names: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const answer = await service.call('GET', `/assets?limit=4&${cursor && `cursor=${cursor}`}`);
      const page = answer.json();
      expect(page).toMatchObject({ total: 6, isTotalExact: true });
      expect(page).not.toHaveProperty('facets');
      names.push(...(page.assets as { name: string }[]).map(({ name }) => name));
      cursor = page.nextCursor as string | null;
    }
    expect(names).toEqual(ALL);
  });

  test('counts kinds, tags and types, as far as it is asked for', async () => {
    const all = (await service.call('GET', '/assets?facets=kind,tag,type')).json();
    expect(all.facets).toEqual({
      kind: { image: 5, document: 1 },
      tag: { night: 2, italy: 1 },
      type: { 'image/png': 5, 'text/plain; charset=utf-8': 1 },
    });
    expect((await service.call('GET', '/assets?facets=tag&folder=trips')).json().facets).toEqual({ tag: { night: 1 } });
  });

  test.each([
    ['kind=picture', 'In "kind": expected one of "image", "video", "audio", "model", "document", received "picture".'],
    ['minSize=1k', 'In "minSize": expected a whole number of at least 0, received "1k".'],
    ['limit=201', 'In "limit": expected at most 200, received 201.'],
    ['limit=0', 'In "limit": expected at least 1, received 0.'],
    ['orientation=flat', 'In "orientation": expected one of "landscape", "portrait", "square", received "flat".'],
    ['minDuration=-1', 'In "minDuration": expected a number of seconds, received "-1".'],
    ['takenAfter=yesterday', /In "takenAfter": expected a date such as .*, received "yesterday"\./],
    ['modifiedBefore=2026-13-01', /In "modifiedBefore": expected a date/],
    ['takenAfter=2026-02-30', /In "takenAfter": expected a date/],
    ['takenBefore=2026-02-29T10:00:00Z', /In "takenBefore": expected a date/],
    ['tag=a%00', 'In "tag": expected text without NUL, received "a\\u0000".'],
    ['field.a=%00', /In "field.a": expected text without NUL/],
    ['toString=1', 'Expected the parameters of a search, or "field.<name>", received "toString".'],
    ['colour=red', 'In "colour": expected a colour such as ff8800 or f80, received "red".'],
    ['sort=colour', /In "sort": expected one of "relevance", .*, received "colour"\./],
    ['recursive=yes', /In "recursive": expected .*received "yes"\./],
    [
      'facets=kind,colour',
      'In "facets": expected some of kind, tag, type, separated by commas, received "kind,colour".',
    ],
    ['tag=-', 'In "tag": expected a tag, received nothing.'],
    ['q=a&q=b', 'In "q": expected string, received ["a","b"].'],
    ['colour=f00&color=f00', 'Expected the parameters of a search, or "field.<name>", received "color".'],
    ['field.=1', 'Expected the parameters of a search, or "field.<name>", received "field.".'],
    ['field.a=1&field.a=2', 'In "field.a": expected one value, received several.'],
  ])('?%s is 400 that names the parameter', async (query, message) => {
    const said = typeof message === 'string' ? message : expect.stringMatching(message);
    const wrong = { ...problem('Bad request', 'validation_failed'), message: said };
    await service.expectAnswer('GET', `/assets?${query}`, undefined, 400, wrong);
  });

  test('a cursor that is none, or of another order, is 400', async () => {
    const first = (await service.call('GET', '/assets?limit=1')).json();
    for (const query of ['cursor=abc', `sort=size&cursor=${first.nextCursor}`])
      await service.expectAnswer('GET', `/assets?${query}`, undefined, 400, problem('Bad request', 'invalid_cursor'));
  });
});

describe('a search for words gives the newest first, page by page, without what lies in the trash', () => {
  const trash = async (...numbers: number[]) => {
    for (const n of numbers)
      expect((await service.call('DELETE', `/storage/herons/heron-${n}.png?trash=true`)).status).toBe(200);
  };
  const page = async (query: string) => {
    const { assets, nextCursor } = (await service.call('GET', `/assets?${query}&limit=2`)).json();
    return { names: (assets as { name: string }[]).map(({ name }) => name), nextCursor };
  };
  beforeEach(() => service.store(...[1, 2, 3, 4, 5, 6].map((n) => `herons/heron-${n}.png`)));
  afterEach(async () => {
    expect((await service.call('DELETE', '/storage/herons?recursive=true')).status).toBe(200);
    expect((await service.call('DELETE', '/trash')).status).toBe(200);
  });

  test('that are in their names', async () => {
    await trash(6, 5, 3);
    const { names, nextCursor } = await page('q=heron');
    expect(names).toEqual(['heron-4.png', 'heron-2.png']);
    expect(await page(`q=heron&cursor=${nextCursor}`)).toEqual({ names: ['heron-1.png'], nextCursor: null });
  });

  test('and those that have them in their names before those that have them in what is said of them', async () => {
    for (const n of [1, 3, 4, 5, 6]) {
      const said = { [n === 1 ? 'title' : 'alt']: 'It stands in the reed' };
      expect((await service.call('PATCH', `/assets/herons/heron-${n}.png`, said)).status).toBe(200);
    }
    await trash(6, 4);
    const { names, nextCursor } = await page('q=reed');
    expect(names).toEqual(['heron-1.png', 'heron-5.png']);
    expect(await page(`q=reed&cursor=${nextCursor}`)).toEqual({ names: ['heron-3.png'], nextCursor: null });
  });
});

describe('GET /assets/duplicates', () => {
  const groups = async (query: string) => {
    const { groups: some, nextCursor } = (await service.call('GET', `/assets/duplicates?${query}`)).json();
    const names = (some as { assets: { name: string }[] }[]).map(({ assets }) => assets.map(({ name }) => name));
    return { names, some: some as { wastedBytes: number; assets: { size: number }[] }[], nextCursor };
  };

  test('finds files of equal bytes, and what they waste', async () => {
    const { names, some, nextCursor } = await groups('kind=exact');
    expect([names, nextCursor]).toEqual([[['square.png', 'twin.png']], null]);
    const sizes = some[0]?.assets.map(({ size }) => size) ?? [];
    expect(some[0]?.wastedBytes).toBe(Math.max(...sizes));
  });

  test('finds pictures that look the same', async () => {
    expect((await groups('kind=similar')).names).toEqual([['square.png', 'twin.png']]);
  });

  test('of another kind is 400', async () => {
    const wrong = problem('Bad request', 'validation_failed');
    await service.expectAnswer('GET', '/assets/duplicates?kind=near', undefined, 400, wrong);
    await service.expectAnswer('GET', '/assets/duplicates?kind=exact&limit=101', undefined, 400, wrong);
  });
});

describe('GET /storage/usage', () => {
  test('tells how much lies in each folder, and of each kind', async () => {
    const { folders, kinds, updatedAt } = (await service.call('GET', '/storage/usage')).json();
    expect(folders).toEqual([{ path: 'trips', size: expect.any(Number), fileCount: 2 }]);
    expect(kinds).toEqual({
      image: { size: expect.any(Number), fileCount: 5 },
      document: { size: 4, fileCount: 1 },
    });
    expect(updatedAt).toEqual(isoTime);
  });

  test('of a folder tells of what is below it', async () => {
    const { folders, kinds } = (await service.call('GET', '/storage/usage?path=trips')).json();
    expect(folders).toEqual([{ path: 'trips/rome', size: expect.any(Number), fileCount: 1 }]);
    expect(kinds).toEqual({ image: { size: expect.any(Number), fileCount: 2 } });
  });

  test('of a folder that there is not tells of nothing', async () => {
    expect((await service.call('GET', '/storage/usage?path=none')).json()).toMatchObject({ folders: [], kinds: {} });
  });

  test('of a path that is none is 400', async () => {
    await service.expectAnswer(
      'GET',
      '/storage/usage?path=..',
      undefined,
      400,
      problem('Invalid path', 'invalid_path'),
    );
  });
});

describe('/tags', () => {
  const tags = async () => (await service.call('GET', '/tags')).json().tags;

  test('are listed with how many files have them, renamed, merged and taken away', async () => {
    expect(await tags()).toEqual([
      { tag: 'italy', count: 1 },
      { tag: 'night', count: 2 },
    ]);
    const renamed = { success: true, tag: 'by night/late', count: 2 };
    await service.expectAnswer('PATCH', '/tags/night', { name: 'by night/late' }, 200, renamed);
    expect(await found('tag=by%20night%2Flate')).toHaveLength(2);
    const merged = { success: true, tag: 'italy', count: 2 };
    await service.expectAnswer('PATCH', '/tags/by%20night%2Flate', { name: 'italy' }, 200, merged);
    expect(await tags()).toEqual([{ tag: 'italy', count: 2 }]);
    await service.expectAnswer('DELETE', '/tags/italy', undefined, 200, { success: true, count: 2 });
    expect(await tags()).toEqual([]);
    expect((await service.call('GET', '/assets/trips/paris.png')).json()).toMatchObject({ tags: [] });
  });

  test('that nobody has are 404', async () => {
    const missing = problem('Tag not found', 'tag_not_found');
    await service.expectAnswer('PATCH', '/tags/none', { name: 'other' }, 404, missing);
    await service.expectAnswer('DELETE', '/tags/none', undefined, 404, missing);
    await service.expectAnswer('DELETE', '/tags/%00', undefined, 404, missing);
  });

  test.each([[{ name: '' }], [{ name: '-a' }], [{}], [{ name: 'a', other: 1 }]])('are not called %j', async (body) => {
    await service.expectAnswer('PATCH', '/tags/none', body, 400, problem('Bad request', 'validation_failed'));
  });

  test('that are no UTF-8 are 400', async () => {
    await service.expectAnswer('DELETE', '/tags/%FF', undefined, 400, problem('Bad request', 'invalid_encoding'));
    await service.expectAnswer('DELETE', '/tags/', undefined, 400, problem('Bad request', 'missing_input'));
  });
});
