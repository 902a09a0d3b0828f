import { afterAll, beforeAll, test } from 'vitest';
import { type LibraryService, problem, startLibrary } from '../library.ts';

let service: LibraryService;
beforeAll(async () => {
  service = await startLibrary();
});
afterAll(() => service.close());

test.each([
  ['name', ['name', 'asc', 1, 'a', -1, false]],
  ['name', ['name', 'asc', 1, 'a', 1, false]],
  ['name', ['name', 'asc', 1, 5, 0, false]],
  ['name', ['name', 'asc', 1, 'a\0', 0, false]],
  ['name', ['name', 'asc', 0, 'a', 0, false]],
  ['size', ['size', 'asc', 1, 'a', 0, false]],
  ['size', ['size', 'asc', 1, null, 0, false]],
  ['size', ['size', 'asc', 1, 1e300, 0, false]],
  ['taken', ['taken', 'asc', 1, 1.5, 0, false]],
  ['taken', ['taken', 'asc', 1, null, 2, false]],
])('a search by %s after the made up cursor %j is 400', async (sort, made) => {
  const cursor = Buffer.from(JSON.stringify(made)).toString('base64url');
  const wrong = problem('Bad request', 'invalid_cursor');
  await service.expectAnswer('GET', `/assets?sort=${sort}&cursor=${cursor}`, undefined, 400, wrong);
});

test.each([
  ['exact', 'x'],
  ['exact', '%00'],
  ['exact', ''],
  ['similar', 'x'],
  ['similar', '-1'],
  ['similar', '99999999999999999999'],
])('duplicates of kind %s after the made up cursor "%s" are 400', async (kind, cursor) => {
  const wrong = problem('Bad request', 'invalid_cursor');
  await service.expectAnswer('GET', `/assets/duplicates?kind=${kind}&cursor=${cursor}`, undefined, 400, wrong);
});
