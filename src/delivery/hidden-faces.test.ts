import { expect, test } from 'vitest';
import { mediaTypeOf } from '../media.ts';
import { readTransformation } from './url.ts';

const RULES = { outputSide: 1000 };
const PROBLEM = expect.objectContaining({
  status: 400,
  message: expect.stringContaining('Faces can be hidden in images'),
});

test.each([
  'e_blur_faces',
  'w_100,e_pixelate_faces:9',
  'f_mp4,e_blur_faces:3',
  'so_1,eo_2,e_blur_faces',
  'f_hls,e_blur_faces',
])('faces are not hidden in videos, so none is made where they should be: %s', (segment) => {
  expect(() => readTransformation(segment, mediaTypeOf('a.mp4'), RULES)).toThrow(PROBLEM);
});

test('nor in previews that move', () => {
  for (const segment of ['an_true,f_webp,e_blur_faces', 'an_true,e_pixelate_faces']) {
    expect(() => readTransformation(segment, mediaTypeOf('a.mp4'), RULES)).toThrow(PROBLEM);
  }
});

test.each(['t_true,e_blur_faces', 'f_jpeg,so_1,e_pixelate_faces'])('they are in single frames: %s', (segment) => {
  expect(readTransformation(segment, mediaTypeOf('a.mp4'), RULES)).toMatchObject({ kind: 'picture' });
});

test('effects of another name say nothing of videos, as ever', () => {
  expect(readTransformation('w_100,e_blur:3', mediaTypeOf('a.mp4'), RULES)).toMatchObject({ kind: 'transcode' });
});
