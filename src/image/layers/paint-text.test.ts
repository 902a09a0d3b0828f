import { beforeAll, describe, expect, test } from 'vitest';
import { setShippedFonts } from '../../../test/pictures/set-fonts.ts';
import type { HeldImage } from '../step.ts';
import { paintText } from './paint-text.ts';
import { dilate } from './text-outline.ts';
import { styleOf } from './text-parameters.ts';
import { type TextStyle, textMegabytes } from './text-style.ts';

const BLACK = { red: 0, green: 0, blue: 0, alpha: 255 };
const BLUE = { red: 0, green: 0, blue: 255, alpha: 255 };

const styled = (text: string, changes: Partial<TextStyle> = {}): TextStyle => ({
  ...styleOf(text, {}, 1000),
  ...changes,
});
const paint = (text: string, changes: Partial<TextStyle> = {}) => paintText(styled(text, changes));

type Pixel = readonly [number, number, number, number];

function pixelAt({ data, width }: HeldImage, x: number, y: number): Pixel {
  return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)] as unknown as Pixel;
}

beforeAll(setShippedFonts);

/** Counts painted pixels, in opaque ones. */
function inkOf({ data }: HeldImage): number {
  return data.reduce((sum, value, index) => (index % 4 === 3 ? sum + value / 255 : sum), 0);
}

/** The bounds of what is painted. */
function boundsOf(image: HeldImage) {
  const painted = Array.from({ length: image.width * image.height }, (_, n) => n).filter(
    (n) => (image.data[n * 4 + 3] as number) > 0,
  );
  const across = painted.map((n) => n % image.width);
  return { left: Math.min(...across), right: Math.max(...across) };
}

describe('a painted text', () => {
  test('has its colour, alpha that is not premultiplied, and is as large as its ink', async () => {
    const text = await paint('Hello', { size: 60, colour: { red: 200, green: 100, blue: 50, alpha: 255 } });
    expect(text).toMatchObject({ channels: 4 });
    expect(text.data).toHaveLength(text.width * text.height * 4);
    const opaque = Array.from({ length: text.width * text.height }, (_, n) => n * 4).filter(
      (at) => text.data[at + 3] === 255,
    );
    expect(opaque.length).toBeGreaterThan(500);
    for (const at of opaque) expect([...text.data.subarray(at, at + 3)]).toEqual([200, 100, 50]);
    const { left, right } = boundsOf(text);
    expect([left <= 1, right >= text.width - 2]).toEqual([true, true]);
  });

  test('is as transparent as its colour', async () => {
    const full = await paint('Hello');
    const half = await paint('Hello', { colour: { ...BLACK, alpha: 128 } });
    expect(half).toMatchObject({ width: full.width, height: full.height });
    for (let at = 3; at < full.data.length; at += 4) {
      expect(Math.abs((half.data[at] as number) - ((full.data[at] as number) * 128) / 255)).toBeLessThanOrEqual(0.51);
    }
  });

  test('is written in the font that is shipped', async () => {
    expect(await paint('Hello')).toMatchObject({ width: 73, height: 26 });
  });

  test('without ink is one transparent pixel', async () => {
    for (const text of [' ', '\n', '\u200b', '\u202e\u202c']) {
      const { data, ...size } = await paint(text);
      expect([text, size, inkOf({ ...size, data })]).toEqual([text, { width: 1, height: 1, channels: 4 }, 0]);
    }
  });

  test('grows with its size', async () => {
    const small = await paint('H', { size: 50 });
    const large = await paint('H', { size: 200 });
    expect(Math.abs(large.height - 4 * small.height)).toBeLessThanOrEqual(4);
  });
});

describe('nothing in a text is markup', () => {
  test.each(['<', '&', '>', '"', '&amp;', '<span size="999999">x</span>', '</span>', '<b>', '&#65;', '<!--'])(
    '%s is painted as it is written',
    async (text) => {
      const whole = await paint(`H${text}`);
      const letters = await Promise.all([...text].filter((letter) => letter !== ' ').map((letter) => paint(letter)));
      const expected = letters.reduce((sum, letter) => sum + inkOf(letter), inkOf(await paint('H')));
      expect(Math.abs(inkOf(whole) / expected - 1)).toBeLessThan(0.06);
    },
  );

  test('nor in the name of a family', async () => {
    const family = 'Noto Sans" size="200000';
    expect((await paint('Hello', { family })).height).toBe((await paint('Hello')).height);
  });
});

describe('a text is bounded before it is set', () => {
  test.each([
    [500, 223],
    [95, 512],
  ])('%i characters of %i px are allowed', async (count, size) => {
    expect(() => textMegabytes(styled('x'.repeat(count), { size }))).not.toThrow();
    await expect(paint(' '.repeat(count - 1).concat('x'), { size })).resolves.toMatchObject({ channels: 4 });
  });

  test.each([
    [501, 4],
    [500, 224],
    [96, 512],
  ])('%i characters of %i px are refused, naming both limits', async (count, size) => {
    await expect(paint('x'.repeat(count), { size })).rejects.toThrow(
      `A text may have 500 characters, and characters times the square of their size may be 25000000; this one has ${count} characters of ${size} px (${count * size ** 2}).`,
    );
  });

  test('also where its lines are higher than any picture', async () => {
    await expect(paint(`x${'\n'.repeat(498)}x`, { size: 100 })).rejects.toThrow(
      'The text would be wider or higher than 32767 pixels.',
    );
  });

  test('by its memory: the estimate is never below what the picture holds', async () => {
    const texts = ['W'.repeat(60), '﷽'.repeat(9), `${'M'.repeat(40)}\n`.repeat(6), `a${'\u0301'.repeat(300)}b`, '⸻⸻⸻'];
    for (const text of texts) {
      for (const changes of [{ size: 40, wrapWidth: 200 }, { size: 60 }, { size: 20, lineHeight: 3, wrapWidth: 30 }]) {
        const { data } = await paint(text, changes);
        expect(textMegabytes(styled(text, changes)) * 1e6, text).toBeGreaterThanOrEqual(data.length);
      }
    }
  });
});

describe('whatever a text has in it', () => {
  test.each([
    ['many emoji', '😀'.repeat(500)],
    ['a family of emoji that does not end', '👩\u200d'.repeat(250)],
    ['directions that do not end', '\u202e\u202a\u2066'.repeat(160)],
    ['directions within directions', `${'\u2067'.repeat(249)}a${'\u2069'.repeat(249)}`],
    ['letters without width', `a${'\u200b\u200d\ufeff\u2060'.repeat(124)}b`],
    ['a tower of marks', `Z${'\u0300\u0316\u0489\u20dd'.repeat(120)}`],
    ['marks without a letter', '\u0301'.repeat(500)],
    ['halves of pairs', 'a\ud800\udc00\udc00\ud800b'],
    ['a word without an end', 'W'.repeat(500)],
    ['hyphens that may be', `${'a\u00ad'.repeat(249)}b`],
    ['no letters at all', '\ufffe\uffff\u{10ffff}\ue000\ufffc'.repeat(80)],
    ['all scripts in turn', 'aבगกم漢'.repeat(80)],
    ['lines of every kind', '\na\u2028b\u2029c'.repeat(20)],
    ['entities', '&#0;&lt;&#x110000;&unknown;&'.repeat(17)],
    ['tags', '<span>'.repeat(83)],
  ])('it is painted within the estimate of its memory: %s', async (_what, text) => {
    for (const changes of [
      { size: 16 },
      { size: 30, wrapWidth: 20 },
      { size: 12, outline: { width: 2, colour: BLUE } },
    ]) {
      const image = await paint(text, changes);
      expect(image.data).toHaveLength(image.width * image.height * 4);
      expect(textMegabytes(styled(text, changes)) * 1e6).toBeGreaterThanOrEqual(image.data.length);
    }
  });

  test('a text with the end of a string in it is refused, and the next one is painted', async () => {
    await expect(paint('a\u0000b')).rejects.toThrow();
    expect(inkOf(await paint('a'))).toBeGreaterThan(10);
  });
});

describe('lines', () => {
  const LONG = 'several words that do not fit';

  test('end where they would be wider than wrapWidth, also within a word', async () => {
    for (const text of [LONG, 'Donaudampfschifffahrtsgesellschaft']) {
      const one = await paint(text);
      const many = await paint(text, { wrapWidth: 150 });
      expect(many.width).toBeLessThanOrEqual(150);
      expect(many.height).toBeGreaterThan(2 * one.height);
      expect(Math.abs(inkOf(many) / inkOf(one) - 1)).toBeLessThan(0.03);
    }
  });

  test('are aligned to each other', async () => {
    const widths = async (align: TextStyle['align']) => {
      const text = await paint('HHHHHHHH\nHH', { align });
      const second = text.data.subarray(Math.ceil(text.height / 2) * text.width * 4);
      const { left, right } = boundsOf({ ...text, height: text.height - Math.ceil(text.height / 2), data: second });
      return [left, text.width - 1 - right] as const;
    };
    const left = await widths('left');
    const center = await widths('center');
    const right = await widths('right');
    expect([left[0] <= 1, right[1] <= 1, Math.abs(center[0] - center[1]) <= 1]).toEqual([true, true, true]);
    expect(left[1] - right[0]).toBe(0);
  });

  test('are lineHeight times the size apart', async () => {
    const height = async (lineHeight: number) => (await paint('H\nH', { size: 50, lineHeight })).height;
    const tight = await height(1);
    expect([(await height(0.8)) - tight, (await height(2)) - tight, (await height(3)) - tight]).toEqual([-10, 50, 100]);
  });
});

describe('an outline', () => {
  const OUTLINE = { width: 3, colour: BLUE };

  test('is the alpha of the letters dilated by its width, behind them', async () => {
    const letters = await paint('Ag');
    const outlined = await paint('Ag', { outline: OUTLINE });
    const { width } = OUTLINE;
    expect(outlined).toMatchObject({ width: letters.width + 2 * width, height: letters.height + 2 * width });
    const dilated = dilate(
      Uint8Array.from({ length: letters.width * letters.height }, (_, at) => letters.data[at * 4 + 3] as number),
      letters,
      width,
    );
    for (let y = 0; y < outlined.height; y++) {
      for (let x = 0; x < outlined.width; x++) {
        const isInside = x >= width && y >= width && x < outlined.width - width && y < outlined.height - width;
        const over = isInside ? pixelAt(letters, x - width, y - width)[3] / 255 : 0;
        const behind = (dilated[y * outlined.width + x] as number) / 255;
        const alpha = over + behind * (1 - over);
        const [red, green, blue, found] = pixelAt(outlined, x, y);
        expect(Math.abs(found - alpha * 255)).toBeLessThanOrEqual(1.5);
        if (alpha > 0.1) expect(Math.abs(blue - (255 * behind * (1 - over)) / alpha)).toBeLessThanOrEqual(6);
        expect([red, green]).toEqual([0, 0]);
      }
    }
  });

  test('is where translucent letters are seen through', async () => {
    const clear = await paint('I', { size: 100, colour: { ...BLACK, alpha: 0 }, outline: OUTLINE });
    expect(pixelAt(clear, Math.floor(clear.width / 2), Math.floor(clear.height / 2))).toEqual([0, 0, 255, 255]);
  });
});

describe('a box', () => {
  const box = { colour: BLUE, padding: { top: 5, right: 10, bottom: 15, left: 20 }, radius: [0, 0, 0, 0] as const };

  test('reaches beyond the text by its padding', async () => {
    const letters = await paint('Hello');
    const boxed = await paint('Hello', { box });
    expect(boxed).toMatchObject({ width: letters.width + 30, height: letters.height + 20 });
    for (let y = 0; y < boxed.height; y++) {
      for (let x = 0; x < boxed.width; x++) {
        const isOutside = x < 20 || y < 5 || x >= 20 + letters.width || y >= 5 + letters.height;
        const [, , , over] = isOutside ? [0, 0, 0, 0] : pixelAt(letters, x - 20, y - 5);
        const [red, green, blue, alpha] = pixelAt(boxed, x, y);
        expect([red, green, alpha]).toEqual([0, 0, 255]);
        expect(Math.abs(blue - (255 - over))).toBeLessThanOrEqual(1);
      }
    }
  });

  test('reaches beyond the outline too', async () => {
    const outline = { width: 4, colour: BLACK };
    const letters = await paint('Hello');
    const boxed = await paint('Hello', { box, outline });
    expect(boxed).toMatchObject({ width: letters.width + 38, height: letters.height + 28 });
    expect(pixelAt(boxed, 0, 0)).toEqual([0, 0, 255, 255]);
  });

  test('has round corners', async () => {
    const boxed = await paint('H', {
      size: 100,
      box: { ...box, padding: { top: 40, right: 40, bottom: 40, left: 40 }, radius: [30, 0, 30, 0] },
    });
    const right = boxed.width - 1;
    const bottom = boxed.height - 1;
    const alphas = [
      [0, 0],
      [right, 0],
      [right, bottom],
      [0, bottom],
      [30, 0],
      [8, 8],
      [9, 9],
    ] as const;
    expect(alphas.map(([x, y]) => pixelAt(boxed, x, y)[3])).toEqual([0, 255, 0, 255, 255, expect.any(Number), 255]);
  });

  test('may be translucent, and is there where a text has no ink', async () => {
    const boxed = await paint(' ', { box: { ...box, colour: { ...BLUE, alpha: 100 } } });
    expect([boxed.width, boxed.height, pixelAt(boxed, 20, 5)]).toEqual([31, 21, [0, 0, 255, 100]]);
  });
});
