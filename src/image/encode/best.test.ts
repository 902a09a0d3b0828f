import { stat } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../../../test/http.ts';
import { openStudio, painted, type Studio } from '../../../test/pictures/studio.ts';

let studio: Studio;
let drawing: string;
let photo: string;
beforeAll(async () => {
  studio = await openStudio();
  // Lines of four colours, as in a diagram.
  const lines = painted(400, 300, (x, y) => {
    if (x % 40 < 3) return [20, 40, 160, 255];
    if (y % 30 < 2) return [220, 20, 20, 255];
    return (x + y) % 97 < 5 ? [0, 0, 0, 255] : [255, 255, 255, 255];
  });
  drawing = await studio.keep('drawing', await lines.png().toBuffer());
  photo = await studio.keep('photo', fixture('concert.jpg'));
});
afterAll(() => studio.close());

const bytesOf = async ({ file }: { file: string }) => (await stat(file)).size;
const sizeOf = async (input: string, segment: string, format: 'avif' | 'webp' | 'jpeg' | 'fallback') =>
  bytesOf(await studio.render(input, segment, format));

describe('the best format', () => {
  test('of a drawing is the one without loss, where that has fewer bytes', async () => {
    for (const quality of ['', ',q_auto']) {
      const beside = await studio.render(drawing, `w_400,f_best${quality}`, 'avif');
      expect(beside.format).toBe('webp');
      expect(await bytesOf(beside)).toBeLessThan(await sizeOf(drawing, `w_400${quality}`, 'avif'));
      const fallback = await studio.render(drawing, `w_400,f_best${quality}`, 'fallback');
      expect(fallback.format).toBe('png');
      expect(await bytesOf(fallback)).toBeLessThan(await sizeOf(drawing, `w_400${quality}`, 'jpeg'));
      const pixelsOf = (file: string) => sharp(file).removeAlpha().raw().toBuffer();
      const original = await pixelsOf(drawing);
      expect(original.equals(await pixelsOf(fallback.file))).toBe(true);
      expect(original.equals(await pixelsOf(beside.file))).toBe(true);
    }
  });

  test('of a photo is the one that was negotiated, in the bytes that it has anyway', async () => {
    for (const format of ['avif', 'webp', 'fallback'] as const) {
      const best = await studio.render(photo, 'w_200,f_best', format);
      expect(best.format).toBe({ avif: 'heif', webp: 'webp', fallback: 'jpeg' }[format]);
      expect(await bytesOf(best)).toBe(await sizeOf(photo, 'w_200', format));
    }
  });
});
