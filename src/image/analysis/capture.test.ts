import { readRights } from '@darkroom/image-files/rights/rights';
import sharp, { type Exif, type ExifDir } from 'sharp';
import { describe, expect, test } from 'vitest';
import { readCapture } from './capture.ts';

/** IFD2 is that of the camera, IFD3 that of the place. */
async function captureOf(exif: Exif) {
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
  const jpeg = await image.withExif(exif).jpeg().toBuffer();
  return readCapture((await sharp(jpeg).metadata()).exif);
}

const timeOf = async (IFD2: ExifDir) => (await captureOf({ IFD2 })).takenAt;

describe('when a picture was taken', () => {
  const DateTimeOriginal = '2024:05:01 12:30:45';

  test('is the local time of the camera, with its offset where it wrote one', async () => {
    expect(await timeOf({ DateTimeOriginal })).toBe('2024-05-01T12:30:45');
    expect(await timeOf({ DateTimeOriginal, OffsetTimeOriginal: '+02:00' })).toBe('2024-05-01T12:30:45+02:00');
    expect(await timeOf({ DateTimeOriginal, OffsetTimeOriginal: '-09:30' })).toBe('2024-05-01T12:30:45-09:30');
  });

  test('has no offset where that is none', async () => {
    for (const OffsetTimeOriginal of ['   :  ', 'Berlin', '+99:00']) {
      expect(await timeOf({ DateTimeOriginal, OffsetTimeOriginal })).toBe('2024-05-01T12:30:45');
    }
  });

  test('is unknown where the clock was not set, the text is no time, or it was only saved then', async () => {
    for (const text of ['0000:00:00 00:00:00', '    :  :     :  :  ', '2024-05-01', 'yesterday']) {
      expect(await timeOf({ DateTimeOriginal: text })).toBeUndefined();
    }
    expect((await captureOf({ IFD0: { DateTime: DateTimeOriginal } })).takenAt).toBeUndefined();
  });
});

describe('the camera', () => {
  const cameraOf = async (Make: string, Model: string) => (await captureOf({ IFD0: { Make, Model } })).camera;

  test('is its make and model, the make once', async () => {
    expect(await cameraOf('SONY', 'ILCE-7M4')).toBe('SONY ILCE-7M4');
    expect(await cameraOf('Canon', 'Canon EOS R5')).toBe('Canon EOS R5');
    expect(await cameraOf('NIKON CORPORATION', 'NIKON Z 6_2')).toBe('NIKON Z 6_2');
  });

  test('has no spaces around it and is short', async () => {
    expect(await cameraOf('  OLYMPUS   OPTICAL ', ' C2100UZ  ')).toBe('OLYMPUS OPTICAL C2100UZ');
    expect((await cameraOf('X', 'x'.repeat(5000)))?.length).toBeLessThanOrEqual(200);
  });

  test('may be known in part or not at all', async () => {
    expect((await captureOf({ IFD0: { Model: 'Box' } })).camera).toBe('Box');
    expect((await captureOf({ IFD0: { Artist: 'Somebody' } })).camera).toBeUndefined();
  });
});

describe('the place', () => {
  test('is there or not, and that is all that is said of it', async () => {
    const GPS = {
      GPSLatitudeRef: 'N',
      GPSLatitude: '52/1 30/1 0/1',
      GPSLongitudeRef: 'E',
      GPSLongitude: '13/1 24/1 0/1',
    };
    const capture = await captureOf({ IFD0: { Model: 'Box' }, IFD3: GPS });
    expect(capture).toEqual({ takenAt: undefined, camera: 'Box', hasGps: true });
    expect((await captureOf({ IFD3: { GPSVersionID: '2 3 0 0' } })).hasGps).toBe(false);
    expect((await captureOf({ IFD0: { Model: 'Box' } })).hasGps).toBe(false);
  });
});

test('a block that is missing, cut off or nonsense says nothing', async () => {
  const nothing = { takenAt: undefined, camera: undefined, hasGps: false };
  expect(readCapture(undefined)).toEqual(nothing);
  expect(readCapture(Buffer.from('nonsense'))).toEqual(nothing);
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
  const jpeg = await image
    .withExif({ IFD0: { Model: 'Box' } })
    .jpeg()
    .toBuffer();
  const { exif } = await sharp(jpeg).metadata();
  for (let length = 0; length < (exif?.length ?? 0); length++) {
    expect(() => readCapture(exif?.subarray(0, length))).not.toThrow();
  }
});

test('a block whose values lie over one another, which would keep a worker busy for minutes, is not read', () => {
  /** A model and an artist, and then numbers that all reach from the beginning to the end. */
  const block = (count: number) => {
    const entries = 2000;
    const exif = Buffer.alloc(65_000);
    exif.write('MM\0*', 'latin1');
    exif.writeUInt32BE(8, 4);
    exif.writeUInt16BE(entries, 8);
    for (let index = 0; index < entries; index++) {
      const at = 10 + 12 * index;
      const isText = index < 2;
      exif.writeUInt16BE([0x0110, 0x013b][index] ?? 0x9000 + index, at);
      exif.writeUInt16BE(isText ? 2 : 3, at + 2);
      exif.writeUInt32BE(isText ? 4 : count, at + 4);
      exif.write(isText ? 'Box\0' : '\0\0\0\0', at + 8, 'latin1');
    }
    return exif;
  };
  expect([readCapture(block(1)).camera, readRights({ exif: block(1) })]).toEqual(['Box', { Artist: 'Box' }]);
  for (const count of [1000, 65_000, 0x7fffffff]) {
    expect([readCapture(block(count)).camera, readRights({ exif: block(count) })]).toEqual([undefined, undefined]);
  }
});
