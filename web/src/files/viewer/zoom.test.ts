import { expect, test } from 'vitest';
import { bounded, fitScale, fitView, wheelFactor, zoomedAt } from './zoom.ts';

const stage = { width: 1000, height: 500 };
const image = { width: 4000, height: 1000 };

test('the whole image fits, and is not enlarged unless it can be drawn at any size', () => {
  expect(fitScale(stage, image)).toBe(0.25);
  const small = { width: 100, height: 100 };
  expect([fitScale(stage, small), fitScale(stage, small, true)]).toEqual([1, 5]);
});

test('the pixel under the pointer stays where it is', () => {
  const at = { x: 300, y: 40 };
  const before = zoomedAt(fitView(stage, image), 1, { x: 0, y: 0 }, stage, image);
  const after = zoomedAt(before, 2, at, stage, image);
  const pixelOf = (view: typeof before) => [(at.x - view.x) / view.scale, (at.y - view.y) / view.scale];
  expect(after.scale).toBe(2);
  expect(pixelOf(after)).toEqual(pixelOf(before));
});

test('the scale ends where everything is visible, and at 800 %', () => {
  const view = fitView(stage, image);
  expect(zoomedAt(view, 0.01, { x: 0, y: 0 }, stage, image)).toEqual({ scale: 0.25, x: 0, y: 0 });
  expect(zoomedAt(view, 99, { x: 0, y: 0 }, stage, image).scale).toBe(8);
});

test('an image is moved as far as its edges, and not along a side that is visible', () => {
  expect(bounded({ scale: 0.4, x: 9999, y: 50 }, stage, image)).toEqual({ scale: 0.4, x: 300, y: 0 });
  expect(bounded({ scale: 1, x: -9999, y: -9999 }, stage, image)).toEqual({ scale: 1, x: -1500, y: -250 });
});

test('a wheel zooms in and back by the same factor, whatever its unit is', () => {
  const wheel = (deltaY: number, deltaMode = 0, ctrlKey = false) => wheelFactor({ deltaY, deltaMode, ctrlKey });
  expect(wheel(-100) * wheel(100)).toBeCloseTo(1);
  expect(wheel(-100)).toBeGreaterThan(1);
  expect(wheel(3, 1)).toBeCloseTo(wheel(99));
  expect(wheel(-5, 0, true)).toBeGreaterThan(wheel(-5));
});
