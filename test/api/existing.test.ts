import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { blob, startUploads, type UploadService } from '../uploads.ts';

const concert = fixture('concert.jpg');
const other = fixture('portrait-face.jpg');
const heic = fixture('still.heic');

let service: UploadService;
beforeAll(async () => {
  service = await startUploads();
});
afterAll(() => service.close());

const send = (folder: string, existing: string, files: Record<string, Buffer>) =>
  service.send(files, { folder, existing });
const summary = ({ files }: { files: { path: string; skipped?: true }[] }) =>
  files.map(({ path, skipped }) => (skipped ? `${path} skipped` : path));

test('a name that is taken gets a number, unless something else is asked for', async () => {
  await send('a', 'rename', { 'p.jpg': concert });
  expect(summary(await send('a', 'rename', { 'p.jpg': concert }))).toEqual(['a/p (1).jpg']);
  const answer = await send('a', 'replace', { 'p.jpg': concert });
  expect(answer).toMatchObject({ status: 400, code: 'validation_failed' });
  expect(answer.message).toBe('Expected rename, skip or error in "existing", received "replace".');
});

test('with skip a folder can be sent again: what is there stays, also under a number, what differs is added', async () => {
  expect(summary(await send('b', 'skip', { 'p.jpg': concert, 'q.jpg': other }))).toEqual(['b/p.jpg', 'b/q.jpg']);
  const again = await send('b', 'skip', { 'p.jpg': concert, 'q.jpg': concert, 'r.jpg': concert });
  expect(again.status).toBe(200);
  expect(summary(again)).toEqual(['b/p.jpg skipped', 'b/q (1).jpg', 'b/r.jpg']);
  expect(again.files[0]).toMatchObject({ filename: 'p.jpg', size: concert.length, url: '/t/b/p.jpg' });
  const third = await send('b', 'skip', { 'q.jpg': concert });
  expect(summary(third)).toEqual(['b/q (1).jpg skipped']);
  expect((await service.delivered('b/q.jpg')).equals(other)).toBe(true);
});

test('with skip the catalog says what the bytes of a file are, where it knows', async () => {
  await send('c', 'skip', { 'p.jpg': concert });
  service.services.describing?.start();
  const described = async () => (await service.authorized('/assets/c/p.jpg')).json() as Promise<{ sha256?: string }>;
  await expect.poll(async () => (await described()).sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(summary(await send('c', 'skip', { 'p.jpg': concert }))).toEqual(['c/p.jpg skipped']);
});

test('with skip a HEIC is compared as it is kept', async () => {
  expect(summary(await send('d', 'skip', { 'p.heic': heic }))).toEqual(['d/p.jpg']);
  expect(summary(await send('d', 'skip', { 'p.heic': heic }))).toEqual(['d/p.jpg skipped']);
});

test('with skip the same file, sent several times at once, is there once', async () => {
  const answers = await Promise.all([1, 2, 3, 4].map(() => send('e', 'skip', { 'p.jpg': concert })));
  expect(answers.flatMap(summary).sort()).toEqual(['e/p.jpg', ...Array(3).fill('e/p.jpg skipped')]);
});

test('with error a name that is taken is refused, the other files are stored', async () => {
  await send('f', 'error', { 'p.jpg': concert });
  const answer = await send('f', 'error', { 'p.jpg': concert, 'q.jpg': concert });
  expect([answer.status, summary(answer)]).toEqual([207, ['f/q.jpg']]);
  expect(answer.errors).toEqual([
    { filename: 'p.jpg', error: 'There is a file or folder "f/p.jpg" already.', code: 'name_taken' },
  ]);
  expect((await send('f', 'error', { 'p.jpg': concert })).status).toBe(400);
});

test('the field may come after the files', async () => {
  const answer = await service.sendForm((form) => {
    form.append('files', blob(concert), 'p.jpg');
    form.append('folder', 'f');
    form.append('existing', 'skip');
  });
  expect(summary(answer)).toEqual(['f/p.jpg skipped']);
});
