import { describe, expect, test } from 'vitest';
import type { Parameter } from '../api/types.ts';
import { locateProblem, problemOf } from './problem.ts';
import type { Listing } from './segment.ts';

test('a message of the service is shown at the parameter that it names', () => {
  expect(problemOf('Parameter "w": expected 1 to 8192, received "0".')).toEqual({
    key: 'w',
    text: 'Expected 1 to 8192, received "0".',
  });
  expect(problemOf('There is no file "w_x/a". "w_x" is no transformation: parameter "w": expected y.').key).toBe('w');
  expect(problemOf('There is no file "x_1/a". "x_1" is no transformation: there is no parameter "x".')).toEqual({
    key: undefined,
    text: 'There is no parameter "x".',
  });
});

describe('with layers a message is shown', () => {
  const parameter = (key: string): Parameter => ({
    key,
    aliases: [],
    separator: '_',
    name: key,
    summary: '',
    forms: '',
    examples: [],
    shape: { kind: 'text' },
  });
  const image = ['w', 'h'].map(parameter);
  const listing: Listing = { image, video: [], layer: image, text: ['w', 'fs'].map(parameter), presets: [] };
  const layerOf = (message: string, segment: string) =>
    locateProblem(message, { segment, listing, parameters: image }).layer;

  test('at the first place that has what was received', () => {
    const message = 'Parameter "w": expected 1 to 8192 pixels, received "9000".';
    expect(layerOf(message, 'w_9000~l_a.png,w_9000')).toBeUndefined();
    expect(layerOf(message, 'w_9~l_a.png,w_5~l_text:9000,w_9000')).toBe(1);
    expect(layerOf('Parameter "fs": expected 4 to 512, received "300 times dpr_2".', 'w_9~l_text:a,fs_300')).toBe(0);
    expect(layerOf(message, 'w_9~l_a.png')).toBeUndefined();
  });

  test('at the layer that it names, or whose file or text it names', () => {
    const segment = 'w_9~l_a%2Cb.png~l_brand:b.png~l_text:"Hi"%0A';
    const unread = (reason: string) => `There is no file "x/y.jpg". "x" is no transformation: ${reason}`;
    const unknown = unread('in the layer l_brand:b.png, there is no parameter "foo".');
    expect(layerOf(unknown, segment)).toBe(1);
    expect(problemOf(unknown).text).toBe('There is no parameter "foo".');
    expect(layerOf(unread('in the layer l_a%2Cb.png, parameter "w": expected y, received "z".'), segment)).toBe(0);
    expect(layerOf('There is no file "a,b.png" for a layer.', segment)).toBe(0);
    expect(layerOf('The layer "brand/b.png" cannot be decoded as an image.', segment)).toBe(1);
    expect(layerOf('Parameter "l": expected text, received "\\"Hi\\"\\n".', segment)).toBe(2);
    const long = 'a'.repeat(600);
    expect(layerOf(`Parameter "l": expected less, received "${long.slice(0, 100)}…".`, `~l_b.png~l_text:${long}`)).toBe(
      1,
    );
  });

  test('at what is no layer, or has no name yet', () => {
    expect(layerOf('x: a layer needs a name, as in l_logo.png or l_text:Hello', 'w_9~l_a.png~l_text:,fs_9')).toBe(1);
    expect(layerOf('There is no file "w_9~x_3/y.jpg".', 'w_9~l_a.png~x_3')).toBe(1);
    expect(layerOf('Parameter "l": expected UTF-8, received "%E0%A4".', 'w_9~l_a.png~l_text:%E0%A4')).toBe(1);
  });
});
