import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { type LibraryService, startLibrary } from '../library.ts';

let service: LibraryService;
beforeAll(async () => {
  service = await startLibrary({ RENDER_WORKERS: '2' });
  await service.upload({ 'photo.jpg': fixture('photo-2725x2225.jpg'), 'flag.png': fixture('flag-alpha.png') });
});
afterAll(() => service.close());

/** Small ones are served from memory, the last one is streamed from disk. */
const SEGMENTS = ['w_20,f_png', 'w_21,f_webp', 'w_22,f_jpeg', 'w_700,f_png'];
const READERS = 4;
const RENDERERS = 12;
const ROUNDS = 60;

test('readers get their pictures while the cache is cleared and invalidated again and again', async () => {
  const bodies = new Map<string, Buffer>();
  for (const segment of SEGMENTS) bodies.set(segment, (await ask(service.url, `/t/${segment}/photo.jpg`)).body);
  expect(bodies.get('w_700,f_png')?.length).toBeGreaterThan(512 * 1024);
  let isOver = false;
  const answers: Record<string, number> = {};
  const note = ({ status, body }: { status: number; body: Buffer }, isRight: boolean) => {
    const what = `${status} ${isRight ? 'the right bytes' : body.toString().slice(0, 200)}`;
    answers[what] = (answers[what] ?? 0) + 1;
  };

  /** Requests the same variant repeatedly. */
  async function read(reader: number): Promise<void> {
    for (let n = reader; !isOver; n++) {
      const segment = SEGMENTS[n % SEGMENTS.length] ?? '';
      const answer = await ask(service.url, `/t/${segment}/photo.jpg`);
      note(answer, answer.body.equals(bodies.get(segment) ?? Buffer.alloc(0)));
    }
  }

  /** Requests a new variant each time: all go into the folder of one original. */
  async function render(renderer: number): Promise<void> {
    for (let n = renderer; !isOver; n += RENDERERS) {
      const answer = await ask(service.url, `/t/c_pad,w_${1 + (n % 60)},h_${1 + Math.floor(n / 60)},f_png/flag.png`);
      note(answer, answer.body.readUInt32BE(16) === 1 + (n % 60));
    }
  }

  const asking = [
    ...Array.from({ length: READERS }, (_, n) => read(n)),
    ...Array.from({ length: RENDERERS }, (_, n) => render(n)),
  ];
  for (let round = 0; round < ROUNDS; round++) {
    const [cleared, ...invalidated] = await Promise.all([
      service.call('POST', '/storage/cache/clear'),
      service.call('DELETE', '/invalidate/photo.jpg'),
      service.call('DELETE', '/invalidate/flag.png'),
    ]);
    expect([cleared.status, ...invalidated.map(({ status }) => status)]).toEqual([200, 200, 200]);
  }
  isOver = true;
  await Promise.all(asking);
  expect(Object.keys(answers)).toEqual(['200 the right bytes']);
});
