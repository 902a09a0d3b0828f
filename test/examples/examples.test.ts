import { globSync, readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { ROOT } from '../source-files.ts';
import { runExamples, runPage } from './page.ts';

const SECRET = 'test-secret-at-least-16-chars-long';

let service: TestService;
beforeAll(async () => {
  service = await startService({ API_SECRET: SECRET });
  const photo = fixture('portrait-face.jpg');
  for (const name of [
    'trips/rome.jpg',
    'trips/paris.jpg',
    'products/shoe.jpg',
    'photos/cat.jpg',
    'a.jpg',
    'shoe.jpg',
    'old-logo.jpg',
  ]) {
    await service.place(name, photo);
  }
  const say = (path: string, words: object) =>
    service.authorized(`/assets/${path}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(words),
    });
  await say('trips/paris.jpg', { tags: ['roma', 'draft'] });
  // The record shown on the page about the library has been changed four times.
  for (const title of ['R', 'Ro', 'Rom', 'Rome']) await say('trips/rome.jpg', { title });
});
afterAll(() => service.close());

/** Creates the files that examples expect in the reader's folder. */
async function prepare(folder: string): Promise<void> {
  const fixtures = join(ROOT, 'test', 'fixtures');
  await copyFile(join(fixtures, 'portrait-face.jpg'), join(folder, 'new.jpg'));
  await copyFile(join(fixtures, 'schizo_90.mp4'), join(folder, 'holiday.mp4'));
  await mkdir(join(folder, 'data'));
}

const run = (page: string) =>
  runPage(page, {
    url: service.url,
    prepare,
    environment: { API_SECRET: SECRET, DATA_DIR: service.data, API_KEY: TEST_KEY },
  });

/** Pages with examples that run on any service; `backup.test.ts` has its own. */
const PAGES = [
  'README.md',
  'docs/facts.md',
  'docs/library.md',
  'docs/monitoring.md',
  'docs/resumable-uploads.md',
  'docs/storage-api.md',
  'docs/troubleshooting.md',
  'docs/projects-and-people.md',
];

test.for(PAGES)('the examples of %s do what they say', async (page) => {
  expect(await run(page)).toBeGreaterThan(0);
});

test('no page has examples to be run that nobody runs', () => {
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
  const marked = pages.filter((page) => /^```sh test$/m.test(readFileSync(join(ROOT, page), 'utf8')));
  expect(marked.toSorted()).toEqual([...PAGES, 'docs/backup-and-upgrade.md'].toSorted());
});

test('an example that fails is named with its line, also when the answer is another one than it says', async () => {
  const example = (text: string) => runExamples('page.md', [{ line: 4, text }], { url: service.url });
  await expect(example('curl http://localhost:3000/t/none.jpg\n')).rejects.toThrow('page.md, from line 4');
  await expect(example('curl http://localhost:3000/t/none.jpg # 404\n')).resolves.toBeUndefined();
  await expect(example('curl http://localhost:3000/t/shoe.jpg # 404: there is none\n')).rejects.toThrow('page.md');
  await expect(example('false\n')).rejects.toThrow('page.md, from line 4');
});
