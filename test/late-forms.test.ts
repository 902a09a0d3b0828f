import { describe, expect, test } from 'vitest';
import { asFolder, readDeliveryUrl } from '../src/delivery/url.ts';
import { imageSteps } from '../src/image/steps/index.ts';
import type { ParameterList } from '../src/transformation/param.ts';
import { audioSteps } from '../src/video/steps/audio.ts';
import { gifSteps, videoSteps } from '../src/video/steps/index.ts';
import { previewSteps } from '../src/video/steps/preview.ts';
import { storyboardSteps } from '../src/video/steps/storyboard.ts';
import { waveformSteps } from '../src/video/steps/waveform.ts';

const RULES = { outputSide: 8192, presets: { thumb: 'w_200', 'wide-2': 'w_200,g_focal' } };
const FILES = ['a.jpg', 'a.gif', 'a.mp4', 'a.mp3', 'b/c.jpg'];

/** Contract values by key: all existing folder names parse this way. */
const CONTRACT: Readonly<Record<string, RegExp>> = {
  w: /^\d+$/,
  h: /^\d+$/,
  c: /^(?:fill|fit|scale|crop|pad)$/,
  ar: /^[\d.]+:[\d.]+$/,
  a: /^(?:auto|-?\d+)$/,
  g: /^(?:c|[ns]?[we]|[ns]|center|(?:north|south)?_?(?:west|east)?|(?:center|north|south|east|west)_center|auto(?:_center)?|faces?(?:_center)?)$/,
  b: /^(?:(?:rgb:)?[0-9a-f]+|white|black|transparent)$/i,
  r: /^(?:max|[\d:]+)$/,
  q: /^(?:auto|\d+)$/,
  f: /^(?:avif|webp|jpe?g|png|gif|auto|mp4|webm|mov)$/,
  so: /^[\d.]+$/,
  eo: /^[\d.]+$/,
  t: /^(?:true|false|0|1)$/,
  tt: /^[\d.]+$/,
  thumbnail_time: /^[\d.]+$/,
};

const LISTS: readonly ParameterList[] = [
  ...[imageSteps, videoSteps, gifSteps, previewSteps, storyboardSteps, waveformSteps, audioSteps],
];

/** Parts of the examples, and each value of a choice. */
const parts = new Set(
  LISTS.flat().flatMap(({ key, aliases = [], separator = '_', alone, reference, syntax }) => {
    const shape = syntax.shape(RULES);
    const choices = shape.kind === 'choice' ? shape.values : shape.kind === 'boolean' ? ['true'] : [];
    const words = 'auto' in shape ? [...choices, 'auto'] : choices;
    const spelled = [key, ...aliases].flatMap((name) => words.map((word) => `${name}${separator}${word}`));
    const examples = reference.examples.flatMap((example) => example.split('~')[0]?.split(',') ?? []);
    return [...spelled, ...examples, ...(alone === undefined ? [] : [key])];
  }),
);

const isOfContract = (part: string) =>
  Object.entries(CONTRACT).some(
    ([key, values]) => part.startsWith(`${key}_`) && values.test(part.slice(key.length + 1)),
  );

const isTransformation = (segment: string, file: string) =>
  readDeliveryUrl(`${encodeURI(segment)}/${file}`, RULES).transformation !== undefined;

describe('a folder whose name became a transformation later is still found', () => {
  const later = [...parts].filter((part) => !isOfContract(part));

  test('there are some', () => {
    expect(later).toEqual(expect.arrayContaining(['g_focal', 'g_fp:0.7:0.4', 'sb_true', 'wf_true', 'an_true', 'z_2']));
  });

  test.each([...later, 'n_thumb', 'n_wide-2', 'l_logo.png', 'l_text:Hello', 'w_200~l_logo.png'])('%s', (segment) => {
    const read = FILES.filter((file) => isTransformation(segment, file));
    expect(read).not.toEqual([]);
    for (const file of read) {
      const request = readDeliveryUrl(`${encodeURI(segment)}/${file}`, RULES);
      expect(asFolder(request, RULES)?.path).toBe(`${segment}/${file}`);
    }
  });
});

test.each(['w_200', 'c_fill', 'g_north', 'g_ne', 'g_face', 'f_webp', 't_true', 'q_80', 'a_90', 'ar_16:9'])(
  'what %s means is settled, whatever folders there are',
  (segment) => {
    expect(asFolder(readDeliveryUrl(`${segment}/a.jpg`, RULES), RULES)).toBeUndefined();
  },
);
