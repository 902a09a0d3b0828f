import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  const stripe = {
    input: { create: { width: 20, height: 200, channels: 3 as const, background: '#c00' } },
    left: 90,
    top: 0,
  };
  const plain = sharp({ create: { width: 300, height: 200, channels: 3, background: '#fff' } }).composite([stripe]);
  await service.place('drawing.png', await plain.png().toBuffer());
  await service.place('photo.jpg', fixture('concert.jpg'));
});
afterAll(() => service.close());

const get = async (path: string, accept?: string) => {
  const { status, headers } = await ask(service.url, path, { headers: accept === undefined ? {} : { accept } });
  return [status, headers['content-type'], headers.vary, headers['x-cache']];
};

describe('f_best', () => {
  test('asks the client as f_auto does, and keeps a variant for each answer', async () => {
    const both = 'image/avif,image/webp,*/*';
    expect(await get('/t/w_300,f_best/drawing.png', both)).toEqual([200, 'image/webp', 'Accept', 'miss']);
    expect(await get('/t/w_300,f_best/drawing.png', both)).toEqual([200, 'image/webp', 'Accept', 'hit']);
    expect(await get('/t/w_300,f_best/drawing.png', 'image/avif')).toEqual([200, 'image/avif', 'Accept', 'miss']);
    expect(await get('/t/w_300,f_best/drawing.png')).toEqual([200, 'image/png', 'Accept', 'miss']);
    expect(await get('/t/w_200,f_best/photo.jpg', both)).toEqual([200, 'image/avif', 'Accept', 'miss']);
    expect(await get('/t/w_200,f_best/photo.jpg')).toEqual([200, 'image/jpeg', 'Accept', 'miss']);
    expect(await get('/t/f_best,w_200/photo.jpg')).toEqual([200, 'image/jpeg', 'Accept', 'hit']);
  });
});
