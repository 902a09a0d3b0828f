import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { TEST_KEY } from '../service.ts';
import { blob, startUploads, type UploadService } from '../uploads.ts';

let service: UploadService;
const concert = fixture('concert.jpg');
const flag = fixture('flag-alpha.png');

beforeAll(async () => {
  service = await startUploads();
});
afterAll(() => service.close());
afterEach(async () => {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
});

const upload: UploadService['send'] = (...sent) => service.send(...sent);
const uploadForm: UploadService['sendForm'] = (...sent) => service.sendForm(...sent);
const delivered: UploadService['delivered'] = (path) => service.delivered(path);
const stored = (path: string) => stat(join(service.originals, path)).catch(() => undefined);

const corpusFile = (name: string) => readFileSync(new URL(`../corpus/files/${name}`, import.meta.url));

describe('type', () => {
  test.each([
    ['png as jpg', 'x.jpg', flag],
    ['jpg as png', 'x.png', concert],
    ['page as jpg', 'x.jpg', Buffer.from('<html><script>alert(1)</script></html>')],
    ['script as png', 'x.png', Buffer.from('#!/bin/sh\nrm -rf /\n')],
    ['program as gif', 'x.gif', Buffer.from('\x7fELF\x02\x01\x01', 'latin1')],
    ['pdf as webp', 'x.webp', Buffer.from('%PDF-1.7\n')],
    ['jpg as mp4', 'x.mp4', concert],
    ['jpg as wav', 'x.wav', concert],
    ['text as gltf', 'x.gltf', Buffer.from('plain text')],
    ['svg', 'x.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['html', 'x.html', Buffer.from('<html></html>')],
    ['pdf', 'x.pdf', Buffer.from('%PDF-1.7\n')],
    ['text', 'x.txt', Buffer.from('text')],
    ['no extension', 'x', flag],
    ['only an extension', '.jpg', concert],
    ['empty file', 'x.jpg', Buffer.alloc(0)],
    ['one byte', 'x.jpg', fixture('not-an-image.jpg')],
  ])('%s is refused and not kept', async (_what, name, bytes) => {
    const { status, success, error, files, errors } = await upload({ [name]: bytes }, { folder: 'refused' });
    expect({ status, success, files }).toEqual({ status: 400, success: false, files: [] });
    const isMismatch = errors[0]?.code === 'type_mismatch';
    expect(errors).toEqual([
      {
        filename: name,
        error: expect.any(String),
        code: expect.any(String),
        ...(isMismatch && { details: expect.objectContaining({ expected: expect.any(String) }) }),
      },
    ]);
    expect(error).toBe(errors[0]?.error);
    expect(await stored('refused')).toBeUndefined();
  });

  test('of the bytes is said for programs, with the extension under which the file would be accepted', async () => {
    const { errors } = await upload(
      { 'png.jpg': flag, 'pdf.webp': Buffer.from('%PDF-1.7\n'), 'text.gif': Buffer.from('plain text') },
      { folder: 'refused' },
    );
    expect(errors.map(({ details }) => details)).toEqual([
      { expected: 'image/jpeg', received: 'image/png', extension: 'png' },
      { expected: 'image/webp', received: 'application/pdf', extension: null },
      { expected: 'image/gif', received: null, extension: null },
    ]);
  });

  const wav = Buffer.concat([
    Buffer.from('RIFF'),
    Buffer.from([36, 0, 0, 0]),
    Buffer.from('WAVEfmt '),
    Buffer.alloc(28),
  ]);
  const ogg = Buffer.concat([Buffer.from('OggS\0\x02'), Buffer.alloc(22), Buffer.from('OpusHead'), Buffer.alloc(40)]);
  const glb = Buffer.from('glTF\x02\0\0\0\x0c\0\0\0', 'latin1');
  test.each([
    ['x.jpg', concert, 'image/jpeg'],
    ['x.JPEG', concert, 'image/jpg'],
    ['x.png', flag, 'image/png; charset=binary'],
    ['x.png', flag, 'application/octet-stream'],
    ['x.png', flag, 'IMAGE/PNG'],
    ['x.wav', wav, 'audio/wav'],
    ['x.glb', glb, 'model/gltf-binary'],
    ['x.gltf', Buffer.from('{"asset":{"version":"2.0"}}'), 'model/gltf+json'],
    ['x.avif', fixture('still.avif'), 'image/avif'],
    ['x.apng', corpusFile('animated.png'), 'image/apng'],
    ['x.mpo', corpusFile('multi-picture.jpg'), 'image/mpo'],
    ['x.avifs', corpusFile('sequence.avif'), 'image/avif-sequence'],
    ['x.png', flag, 'image/x-png'],
    ['x.png', flag, 'image/x-citrix-png'],
    ['x.jpg', concert, 'image/x-citrix-jpeg'],
    ['x.gif', fixture('rotating-squares.gif'), 'image/x-citrix-gif'],
    ['x.mp4', fixture('schizo_90.mp4'), 'application/mp4'],
    ['x.ogg', ogg, 'video/ogg'],
    ['x.ogg', ogg, 'audio/ogg; codecs=opus'],
    ['x.wav', Buffer.concat([Buffer.from('RF64'), wav.subarray(4)]), 'audio/wav'],
  ])('%s declared as %3$s is stored untouched', async (name, bytes, type) => {
    const { status, files } = await uploadForm((form) => form.append('files', blob(bytes, type), name));
    expect(status).toBe(200);
    expect((await delivered(files[0]?.path ?? '')).equals(bytes)).toBe(true);
  });

  test.each(['image/png', 'text/html', 'text/plain', 'video/mp4', 'nonsense'])(
    'a JPEG that is declared as %s is refused',
    async (type) => {
      const { status, errors } = await uploadForm((form) => form.append('files', blob(concert, type), 'declared.jpg'));
      expect([status, errors.length]).toEqual([400, 1]);
      expect(await stored('declared.jpg')).toBeUndefined();
    },
  );

  test('a part without a declared type is fine', async () => {
    const body = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="files"; filename="undeclared.png"\r\n\r\n'),
      flag,
      Buffer.from('\r\n--x--\r\n'),
    ]);
    const headers = { 'x-api-key': TEST_KEY, 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await ask(service.url, '/upload', { method: 'POST', body, headers });
    expect([answer.status, answer.json().errors]).toEqual([200, []]);
  });

  test.each([
    ['moving.apng', 'animated.png', 'image/png'],
    ['eyes.mpo', 'multi-picture.jpg', 'image/jpeg'],
    ['moving.avifs', 'sequence.avif', 'image/avif'],
  ])('%s is served with the type of its content, and shows its first picture', async (name, file, type) => {
    await upload({ [name]: corpusFile(file) }, { folder: 'several' });
    const original = await ask(service.url, `/t/several/${name}`);
    expect([original.status, original.headers['content-type']]).toEqual([200, type]);
    const small = await ask(service.url, `/t/w_60,f_png/several/${name}`);
    expect([small.status, small.headers['content-type'], small.headers['x-transform-fallback']]).toEqual([
      200,
      'image/png',
      undefined,
    ]);
    const listing = await service.authorized('/storage?path=several');
    const { files } = (await listing.json()) as { files: { name: string; type: string }[] };
    expect(files.find((listed) => listed.name === name)).toMatchObject({ type: 'image' });
  });

  test.each([
    ['x.apng', 'multi-picture.jpg'],
    ['x.mpo', 'animated.png'],
    ['x.avifs', 'animated.png'],
  ])('%s with the bytes of %s is refused', async (name, file) => {
    expect((await upload({ [name]: corpusFile(file) }, { folder: 'refused' })).status).toBe(400);
    expect(await stored('refused')).toBeUndefined();
  });

  test.each(['truncated.jpg', 'bomb-16383.png', 'corrupt-header.jpg'])(
    '%s is stored as it is, or refused, and never a failure',
    async (name) => {
      const { status, files } = await upload({ [name]: fixture(name) });
      expect([200, 400]).toContain(status);
      for (const { path } of files) expect((await delivered(path)).equals(fixture(name))).toBe(true);
      for (const { path } of files)
        expect([200, 400]).toContain((await ask(service.url, `/t/w_10/${encodeURIComponent(path)}`)).status);
    },
  );
});

describe('size', () => {
  const megabyte = 1024 * 1024;
  const ofSize = (size: number) => Buffer.concat([concert, Buffer.alloc(size - concert.length)]);

  test("a file of the limit is stored, one byte more is not kept and is that file's error", async () => {
    const both = await upload({ 'fits.jpg': ofSize(megabyte), 'larger.jpg': ofSize(megabyte + 1) }, { folder: 'size' });
    expect([both.status, both.success]).toEqual([207, false]);
    expect(both.files.map(({ path, size }) => [path, size])).toEqual([['size/fits.jpg', megabyte]]);
    expect(both.errors).toEqual([
      { filename: 'larger.jpg', error: expect.stringContaining('MAX_FILE_SIZE_MB'), code: 'file_too_large' },
    ]);
    expect(await stored('size/larger.jpg')).toBeUndefined();
    const alone = await upload({ 'larger.jpg': ofSize(2 * megabyte) }, { folder: 'size' });
    expect([alone.status, alone.success, alone.files, alone.errors.length]).toEqual([400, false, [], 1]);
  });

  test('of several refused files, `error` says why the first was refused', async () => {
    const { status, error, files, errors } = await upload({ 'first.png': 'text', 'second.pdf': '%PDF-1.7\n' });
    expect([status, files]).toEqual([400, []]);
    expect(errors.map(({ filename }) => filename)).toEqual(['first.png', 'second.pdf']);
    expect(error).toBe(errors[0]?.error);
    expect(error).not.toBe(errors[1]?.error);
  });

  test('good files of a mixed upload are stored: 207', async () => {
    const { status, success, error, files, errors } = await upload({
      'good.png': flag,
      'bad.png': 'text',
      'also.jpg': concert,
    });
    expect([status, success, error]).toEqual([207, false, undefined]);
    expect(files.map(({ path }) => path)).toEqual(['good.png', 'also.jpg']);
    expect(errors.map(({ filename }) => filename)).toEqual(['bad.png']);
  });
});
