import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import type { HeldImage } from '../step.ts';
import { similarity } from './similarity.ts';

const photo = new URL('../../../test/fixtures/portrait-face.jpg', import.meta.url).pathname;

describe('similarity', () => {
  test('a picture is entirely similar to itself', async () => {
    const original = await rawPixelsOf(sharp(photo).resize(300));
    expect(similarity(original, original)).toBe(1);
  });

  test('it falls with the quality of the encoder', async () => {
    const original = await rawPixelsOf(sharp(photo).resize(300));
    const scores: number[] = [];
    for (const quality of [90, 70, 50, 30, 10]) {
      const copy = await sharp(photo).resize(300).jpeg({ quality }).toBuffer();
      scores.push(similarity(original, await rawPixelsOf(sharp(copy))));
    }
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores[0]).toBeLessThan(1);
    expect(scores.at(-1)).toBeGreaterThan(0);
  });

  test('a change of colour alone is seen', () => {
    const red = flat([200, 40, 40]);
    const blueOfTheSameLuma = flat([40, 88, 196]);
    expect(similarity(red, blueOfTheSameLuma)).toBeLessThan(0.99);
  });

  test('colours under full transparency do not matter', () => {
    expect(similarity(flat([255, 0, 0, 0]), flat([0, 255, 0, 0]))).toBe(1);
    expect(similarity(flat([255, 0, 0, 255]), flat([255, 0, 0, 0]))).toBeLessThan(0.99);
  });

  test('a picture smaller than one window and a grey one are compared too', () => {
    expect(similarity(flat([10, 10, 10], 1, 1), flat([10, 10, 10], 1, 1))).toBe(1);
    expect(similarity(flat([10], 3, 5), flat([240], 3, 5))).toBeLessThan(0.7);
    expect(similarity(flat([90, 255], 20, 3), flat([90, 255], 20, 3))).toBe(1);
  });
});

async function rawPixelsOf(image: Sharp): Promise<HeldImage> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

function flat(colour: number[], width = 32, height = 32): HeldImage {
  const data = Buffer.alloc(width * height * colour.length, Buffer.from(colour));
  return { data, width, height, channels: colour.length as HeldImage['channels'] };
}
