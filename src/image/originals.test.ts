import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeLosslessJpeg } from '../../test/pictures/lossless-jpeg.ts';
import { frames, gradient, meanDifference, openStudio, quadrants, type Studio } from '../../test/pictures/studio.ts';

const QUADRANTS = ['red', 'green', 'yellow', 'blue'];

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

describe('a lossless JPEG', () => {
  const encode = async (width: number, height: number) =>
    encodeLosslessJpeg(await quadrants(width, height).raw().toBuffer(), width, height);

  test('is shown as a whole at every size', async () => {
    const input = await studio.keep('lossless.jpg', await encode(96, 64));
    for (const segment of ['', 'w_48', 'w_20', 'w_10,h_10,c_pad', 'w_9,a_90']) {
      const shown = (await studio.render(input, segment)).corners(segment.includes('pad') ? 3 : 2);
      const turned = segment.includes('a_90') ? [...QUADRANTS.slice(3), ...QUADRANTS.slice(0, 3)] : QUADRANTS;
      expect([segment, shown]).toEqual([segment, turned]);
    }
  });

  test('also behind megabytes of metadata and fill bytes', async () => {
    const jpeg = await encode(96, 64);
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), Buffer.alloc(65_533)]);
    const metadata = [...Array<Buffer>(40).fill(comment), Buffer.from([0xff, 0xff])];
    const input = await studio.keep(
      'comments.jpg',
      Buffer.concat([jpeg.subarray(0, 2), ...metadata, jpeg.subarray(2)]),
    );
    expect((await studio.render(input, 'w_20')).corners()).toEqual(QUADRANTS);
  });
});

describe('an AVIF sequence', () => {
  const readSequence = () => readFile(new URL('../../test/corpus/files/sequence.avif', import.meta.url));

  test.each(['avis', 'avif', 'MA1B', 'msf1'])(
    'shows its first frame, also when its major brand is %s',
    async (brand) => {
      const expected = await studio.render(await studio.keep('sequence.avif', await readSequence()), 'w_60');
      const named = await readSequence();
      named.write(brand, 8);
      const { width, height, file } = await studio.render(await studio.keep(`${brand}.avif`, named), 'w_60');
      expect([width, height]).toEqual([60, 40]);
      expect(await meanDifference(file, expected.file)).toBe(0);
    },
  );

  test('comes out as a picture that does not move, also at its own size', async () => {
    const input = await studio.keep('sequence.avif', await readSequence());
    const { file } = await studio.render(input, '', 'avif');
    expect((await readFile(file)).includes('avis')).toBe(false);
  });

  test('of tracks alone is undecodable', async () => {
    const tracks = await readSequence();
    tracks.write('free', tracks.indexOf('meta'));
    expect(await studio.attempt(await studio.keep('tracks.avif', tracks), '')).toMatchObject({
      outcome: 'undecodable',
    });
  });

  test('cut or damaged anywhere is a picture or undecodable', async () => {
    const whole = await readSequence();
    const metadata = whole.indexOf('moov');
    for (let at = 0; at < metadata; at += 13) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0xff;
      for (const bytes of [whole.subarray(0, at), damaged]) {
        const { outcome } = await studio.attempt(await studio.keep('damaged.avif', bytes), 'w_10');
        expect(['rendered', 'undecodable', 'limit exceeded']).toContain(outcome);
      }
    }
  });
});

describe('a GIF', () => {
  /** The start of the second picture: 0x2c, its place (0, 0) and its size. */
  const secondFrame = (gif: Buffer) => gif.lastIndexOf(Buffer.from([0x2c, 0, 0, 0, 0]));

  test('with a damaged second frame shows the first', async () => {
    const gif = await frames(40, 30, ['red', 'blue']).gif().toBuffer();
    gif.writeUInt8(0xff, secondFrame(gif));
    const input = await studio.keep('damaged.gif', gif);
    expect((await studio.render(input, '')).corners()).toEqual(Array(4).fill('red'));
  });

  test('that ends within its first frame is undecodable', async () => {
    const gif = await gradient(60, 40).gif().toBuffer();
    const input = await studio.keep('cut.gif', gif.subarray(0, gif.length / 2));
    expect(await studio.attempt(input, '')).toMatchObject({ outcome: 'undecodable' });
  });
});
