import { execFile } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import {
  acceptExtraTypes,
  agrees,
  EXTRA_MEDIA_TYPES,
  MEDIA_TYPES,
  mediaTypeOf,
  SIGNATURE_BYTES,
  sniffMediaType,
} from './media.ts';

const fixture = (name: string) => new URL(`../test/fixtures/${name}`, import.meta.url);

/** The first bytes of a file, as an upload looks at them. */
async function headOf(name: string): Promise<Uint8Array> {
  await using handle = await open(fixture(name), 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

async function mimeOf(head: Uint8Array): Promise<string | undefined> {
  return (await sniffMediaType(head.subarray(0, SIGNATURE_BYTES)))?.mime;
}

/** A second of colour and a tone in a container of ffmpeg's, its first bytes. */
async function generated(...output: string[]): Promise<Buffer> {
  const video = ['-f', 'lavfi', '-i', 'color=red:size=64x64:rate=5:duration=1'];
  const audio = ['-f', 'lavfi', '-i', 'sine=duration=1'];
  const run = promisify(execFile);
  const { stdout } = await run('ffmpeg', ['-v', 'error', ...video, ...audio, ...output, 'pipe:1'], {
    encoding: 'buffer',
    maxBuffer: 1e8,
  });
  return stdout;
}

const FRAGMENTED = ['-movflags', 'frag_keyframe+empty_moov'];

describe('the name of a file', () => {
  test.each([
    ['photo.jpg', 'image/jpeg', 'image'],
    ['photo.JPEG', 'image/jpeg', 'image'],
    ['a/b.c/photo.Png', 'image/png', 'image'],
    ['photo.webp', 'image/webp', 'image'],
    ['photo.avif', 'image/avif', 'image'],
    ['moving.apng', 'image/png', 'image'],
    ['both-eyes.MPO', 'image/jpeg', 'image'],
    ['moving.avifs', 'image/avif', 'image'],
    ['photo.GIF', 'image/gif', 'image'],
    ['photo.HEIC', 'image/heic', 'image'],
    ['photo.heif', 'image/heif', 'image'],
    ['photo.psd', 'image/vnd.adobe.photoshop', 'image'],
    ['clip.MP4', 'video/mp4', 'video'],
    ['clip.mov', 'video/quicktime', 'video'],
    ['clip.webm', 'video/webm', 'video'],
    ['sound.wav', 'audio/wav', 'audio'],
    ['sound.mp3', 'audio/mpeg', 'audio'],
    ['sound.ogg', 'audio/ogg', 'audio'],
    ['chair.glb', 'model/gltf-binary', 'model'],
    ['chair.gltf', 'model/gltf+json', 'model'],
    ['paper.pdf', 'application/pdf', 'document'],
  ])('%s says %s, which is of the kind %s', (name, mime, kind) => {
    expect(mediaTypeOf(name)).toMatchObject({ mime, kind });
  });

  test.each(['page.html', 'drawing.svg', 'script.js', 'noextension', '.jpg', 'photo.jpg.exe', 'photo.jpg/'])(
    '%s is bytes that no browser interprets, and cannot be uploaded',
    (name) => {
      expect(mediaTypeOf(name)).toMatchObject({
        kind: 'document',
        mime: 'application/octet-stream',
        uploadable: false,
      });
    },
  );

  test('images, videos, audio and models can be uploaded, documents cannot', () => {
    for (const type of MEDIA_TYPES) expect(type.uploadable).toBe(type.kind !== 'document');
  });

  test('types that are accepted beside the table are pictures, and unknown again when they are not', () => {
    acceptExtraTypes(['tiff']);
    expect(['a.TIF', 'a.tiff'].map((name) => mediaTypeOf(name))).toEqual([
      EXTRA_MEDIA_TYPES.tiff,
      EXTRA_MEDIA_TYPES.tiff,
    ]);
    expect(EXTRA_MEDIA_TYPES.tiff).toMatchObject({ kind: 'image', mime: 'image/tiff', uploadable: true });
    acceptExtraTypes([]);
    expect(mediaTypeOf('a.tif')).toMatchObject({ kind: 'document', mime: 'application/octet-stream' });
  });

  test('every extension belongs to one type', () => {
    const extensions = MEDIA_TYPES.flatMap((type) => type.extensions);
    expect(new Set(extensions).size).toBe(extensions.length);
  });
});

describe('the bytes of a picture', () => {
  test.each([
    ['concert.jpg', 'image/jpeg'],
    ['flag-alpha.png', 'image/png'],
    ['still.avif', 'image/avif'],
    ['winter-1440x960.heic', 'image/heic'],
  ])('of %s are %s', async (name, mime) => {
    expect(await mimeOf(await headOf(name))).toBe(mime);
  });

  test.each(['webp', 'gif', 'png', 'jpeg', 'avif'] as const)('made as %s are that', async (format) => {
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
    expect(await mimeOf(await picture.toFormat(format).toBuffer())).toBe(`image/${format}`);
  });

  test.each([
    ['avif', [], 'image/avif'],
    ['avis', ['avif', 'msf1'], 'image/avif'],
    ['MA1B', [], 'image/avif'],
    ['mif1', ['miaf', 'avif'], 'image/avif'],
    ['msf1', ['iso8', 'avis'], 'image/avif'],
    ['heic', ['mif1'], 'image/heic'],
    ['heim', [], 'image/heic'],
    ['hevx', [], 'image/heic'],
    ['mif1', ['heic', 'avif'], 'image/heic'],
    ['mif1', [], 'image/heic'],
    ['isom', ['mif1', 'avif'], 'video/mp4'],
  ])('of the brand %s and with %j are %s', async (major, compatible, mime) => {
    const brands = `${major}\0\0\0\0${compatible.join('')}`;
    const size = Buffer.from([0, 0, 0, 8 + brands.length]);
    // The rest names no brand.
    expect(await mimeOf(Buffer.concat([size, Buffer.from(`ftyp${brands}`), Buffer.from('avifheicavif')]))).toBe(mime);
  });

  test('with the header of Photoshop are PSD', async () => {
    const header = Buffer.from('8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\0\x10\0\0\0\x10\0\x08\0\x03', 'latin1');
    expect(await mimeOf(header)).toBe('image/vnd.adobe.photoshop');
  });
});

describe('the bytes of videos and sounds', () => {
  test('of a real MP4 are MP4', async () => {
    expect(await mimeOf(await headOf('schizo_90.mp4'))).toBe('video/mp4');
  });

  test.each([
    ['video/mp4', ['-f', 'mp4', ...FRAGMENTED]],
    ['video/quicktime', ['-f', 'mov', ...FRAGMENTED]],
    ['video/webm', ['-f', 'webm', '-deadline', 'realtime']],
    ['audio/wav', ['-vn', '-f', 'wav']],
    ['audio/mpeg', ['-vn', '-f', 'mp3']],
    ['audio/mpeg', ['-vn', '-f', 'mp3', '-id3v2_version', '0', '-write_xing', '0']],
    ['audio/ogg', ['-vn', '-f', 'ogg', '-c:a', 'libvorbis']],
    ['audio/ogg', ['-vn', '-f', 'ogg', '-c:a', 'libopus']],
  ])('are told apart: %s, made with %j', async (mime, output) => {
    expect(await mimeOf(await generated(...output))).toBe(mime);
  });

  test.each([
    ['3gp4', ['isom', '3gp4'], 'video/mp4'],
    ['3g2a', ['3g2a', 'isom'], 'video/mp4'],
    ['3gp5', ['3gp5', 'mp42'], 'video/mp4'],
    ['M4A ', ['M4A ', 'mp42', 'isom'], 'video/mp4'],
    ['XAVC', ['XAVC', 'mp42'], 'video/mp4'],
    ['3gp4', ['3gp4'], undefined],
    ['3g2a', [], undefined],
    ['crx ', ['crx ', 'isom'], undefined],
    ['qt  ', ['qt  ', 'isom'], 'video/quicktime'],
  ])('of the brand %s and with %j are %s', async (major, compatible, mime) => {
    const brands = `${major}\0\0\0\0${compatible.join('')}`;
    const size = Buffer.from([0, 0, 0, 8 + brands.length]);
    // The rest names no brand.
    expect(await mimeOf(Buffer.concat([size, Buffer.from(`ftyp${brands}`), Buffer.from('isommp42')]))).toBe(mime);
  });

  test('of long WAV are WAV', async () => {
    const wav = await generated('-vn', '-f', 'wav', '-rf64', 'always');
    expect(wav.toString('latin1', 0, 4)).toBe('RF64');
    expect(await mimeOf(wav)).toBe('audio/wav');
    expect(await mimeOf(Buffer.concat([Buffer.from('BW64'), wav.subarray(4)]))).toBe('audio/wav');
    expect(await mimeOf(Buffer.from('RF64\xff\xff\xff\xffAVI ', 'latin1'))).toBeUndefined();
  });

  test('of an MP3 whose cover picture is larger than what is looked at are MP3', async () => {
    const size = 100_000;
    const lengthBytes = [size >> 21, size >> 14, size >> 7, size].map((byte) => byte & 0x7f);
    const tag = Buffer.concat([Buffer.from([...Buffer.from('ID3'), 3, 0, 0, ...lengthBytes]), Buffer.alloc(size)]);
    expect(await mimeOf(Buffer.concat([tag, await generated('-vn', '-f', 'mp3')]))).toBe('audio/mpeg');
  });

  test('of Matroska, which is none of ours, are unknown', async () => {
    expect(await mimeOf(await generated('-f', 'matroska', '-c:v', 'libx264'))).toBeUndefined();
  });
});

describe('the bytes of models', () => {
  test('a GLB begins with its magic number', async () => {
    expect(await mimeOf(Buffer.from('glTF\x02\0\0\0\x0c\0\0\0', 'latin1'))).toBe('model/gltf-binary');
  });

  test.each([
    '{"asset":{"version":"2.0"}}',
    '\ufeff  {\n  "asset" : {"version": "2.0"}',
    `{"accessors":[${'{},'.repeat(3000)}`,
  ])('glTF is JSON with the members of glTF: %.40s', async (text) => {
    expect(await mimeOf(Buffer.from(text))).toBe('model/gltf+json');
  });

  test.each(['{}', '[1]', '{"name":"darkroom"}', 'asset', '"asset": 1'])('%s is no glTF', async (text) => {
    expect(await mimeOf(Buffer.from(text))).toBeUndefined();
  });
});

describe('bytes that are nothing the service knows', () => {
  test.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
    ['a program', '\x7fELF\x02\x01\x01'],
  ])('%s', async (_what, text) => {
    expect(await mimeOf(Buffer.from(text, 'latin1'))).toBeUndefined();
  });

  test('a cut or broken header never throws', async () => {
    const heads = await Promise.all(['concert.jpg', 'still.avif', 'schizo_90.mp4', 'winter-1440x960.heic'].map(headOf));
    for (const head of heads) {
      for (let length = 0; length < 64; length++) await sniffMediaType(head.subarray(0, length));
    }
  });
});

describe('a name and bytes agree', () => {
  const agree = async (name: string, bytes: Uint8Array) => {
    const sniffed = await sniffMediaType(bytes);
    return sniffed !== undefined && agrees(mediaTypeOf(name), sniffed);
  };

  test('when both say the same', async () => {
    expect(await agree('a.jpg', await headOf('concert.jpg'))).toBe(true);
    expect(await agree('a.JPEG', await headOf('concert.jpg'))).toBe(true);
    expect(await agree('a.ogg', await generated('-vn', '-f', 'ogg', '-c:a', 'libopus'))).toBe(true);
  });

  test('for HEIC and HEIF alike, which are one format', async () => {
    const head = await headOf('winter-1440x960.heic');
    expect(await agree('a.heic', head)).toBe(true);
    expect(await agree('a.heif', head)).toBe(true);
    expect(await agree('a.heif', await headOf('still.avif'))).toBe(true);
    expect(await agree('a.heic', await headOf('still.avif'))).toBe(false);
  });

  test('not when a payload was renamed', async () => {
    expect(await agree('a.png', await headOf('concert.jpg'))).toBe(false);
    expect(await agree('a.jpg', await headOf('schizo_90.mp4'))).toBe(false);
    expect(await agree('a.mov', await headOf('schizo_90.mp4'))).toBe(false);
    expect(await agree('a.avif', await headOf('winter-1440x960.heic'))).toBe(false);
    expect(await agree('a.mp4', await readFile(fixture('README.md')))).toBe(false);
  });
});
