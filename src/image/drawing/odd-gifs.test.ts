import { readFile } from 'node:fs/promises';
import { mendedGif } from '@darkroom/image-files/mend-gif';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeGif } from '../../../test/corpus/make/gif.ts';
import { ODD_GIFS, type OddGif } from '../../../test/pictures/odd-gifs.ts';
import { openStudio, type Studio } from '../../../test/pictures/studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const seen = (points: OddGif['shows'][number], at: (x: number, y: number) => string) =>
  points.map((point) => ({ ...point, colour: at(point.x, point.y) }));

describe.each(ODD_GIFS)('$name', ({ name, bytes, width, height, shows }) => {
  const input = () => studio.keep(`${name}.gif`, bytes);

  test('each frame is what browsers show', async () => {
    for (const [index, points] of shows.entries()) {
      const shown = await studio.render(await input(), index === 0 ? '' : `pg_${index + 1}`);
      expect([shown.width, shown.height, seen(points, shown.at)]).toEqual([width, height, points]);
    }
  });

  test.each(['gif', 'webp'] as const)('so is each frame of an animation in %s', async (format) => {
    const { file } = await studio.render(await input(), 'an_true,q_100', format);
    for (const [page, points] of shows.entries()) {
      const frame = await studio.keep('frame.png', await sharp(file, { page }).png().toBuffer());
      const shown = await studio.render(frame, '');
      expect([shown.width, shown.height]).toEqual([width, height]);
      expect(seen(points, shown.at)).toEqual(points);
    }
  });

  test('a smaller GIF of it is whole, too', async () => {
    const shown = await studio.render(await input(), `w_${width / 2},f_gif`);
    const halves = (shows[0] ?? []).map((point) => ({ ...point, x: point.x >> 1, y: point.y >> 1 }));
    expect(seen(halves, shown.at)).toEqual(halves);
  });

  test('mending it changes nothing a second time', () => {
    const mended = mendedGif(bytes);
    if (mended) expect(mendedGif(mended)).toBeUndefined();
  });
});

describe('a GIF that decoders agree on', () => {
  const colours = [[255, 0, 0] as const, [0, 0, 255] as const];
  const whole = (index: number) => ({ width: 8, height: 8, at: () => index });

  test.each([
    ['of one frame', [whole(0)]],
    ['of whole frames that are cleared', [0, 1, 0].map((index) => ({ ...whole(index), disposal: 2 as const }))],
    ['whose first frame is undone below a whole one', [{ ...whole(0), disposal: 3 as const }, whole(1)]],
    ['with small later frames', [whole(0), { ...whole(1), width: 4 }]],
  ])('%s stays as it is, and opaque', async (name, frames) => {
    const bytes = writeGif(8, 8, colours, frames);
    expect(mendedGif(bytes)).toBeUndefined();
    expect((await studio.render(await studio.keep(`${name}.gif`, bytes), '')).hasAlpha).toBe(false);
  });

  test('is read the same wherever it is cut', async () => {
    const { bytes } = ODD_GIFS[2] as OddGif;
    for (let length = 0; length < bytes.length; length += 7) {
      const input = await studio.keep('cut.gif', bytes.subarray(0, length));
      expect(['rendered', 'undecodable']).toContain((await studio.attempt(input, '')).outcome);
    }
  });
});

test('a result in the size of such a GIF does not take over its frames', async () => {
  const { bytes } = ODD_GIFS.find(({ name }) => name === 'a screen without a size') as OddGif;
  const { file } = await studio.render(await studio.keep('zero.gif', bytes), 'f_gif');
  expect((await readFile(file)).readUInt16LE(6)).toBe(64);
});
