import { expect, test, vi } from 'vitest';
import { parsePath } from '../path.ts';
import { createFocalPoints } from './focal-points.ts';

const PHOTO = parsePath('photo.jpg');

test('gives the stored point, or none', async () => {
  const points = createFocalPoints({ focalPoint: async (path) => (path === PHOTO ? { x: 0.25, y: 1 } : undefined) });
  expect(await points(PHOTO)).toEqual({ x: 0.25, y: 1 });
  expect(await points(parsePath('other.jpg'))).toBeUndefined();
});

test('after a failure the catalog is left alone for a while', async () => {
  let now = 0;
  const focalPoint = vi.fn(async () => {
    throw new Error('no such table');
  });
  const points = createFocalPoints({ focalPoint }, () => now);
  await expect(points(PHOTO)).rejects.toThrow('no such table');
  now = 4999;
  await expect(points(PHOTO)).rejects.toThrow('has just failed');
  expect(focalPoint).toHaveBeenCalledTimes(1);
  now = 5000;
  await expect(points(PHOTO)).rejects.toThrow('no such table');
});

test('a catalog that does not answer holds nobody up', async () => {
  vi.useFakeTimers();
  const points = createFocalPoints({ focalPoint: () => new Promise(() => undefined) }, () => 0);
  const asked = expect(points(PHOTO)).rejects.toThrow('takes too long');
  await vi.advanceTimersByTimeAsync(500);
  await asked;
  vi.useRealTimers();
});
