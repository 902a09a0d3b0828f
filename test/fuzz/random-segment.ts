import { imageLayer, textLayer } from '../../src/image/layers/parameters.ts';
import { imageSteps } from '../../src/image/steps/index.ts';
import type { Parameter, Shape } from '../../src/transformation/param.ts';
import { videoSteps } from '../../src/video/steps/index.ts';
import type { Random } from './seeded-random.ts';

type AnyParameter = Parameter<string, unknown>;

const RULES = { outputSide: 300 };
const MOST_WORDS = 6;
const MOST_LAYERS = 9;

/** One in this many values is invalid: a segment has many, and one invalidates all of it. */
const WRONG = 60;
const WRONG_VALUES = ['', 'none', '-1', '99999', '1.5', 'zzz', '1:2:3:4:5', '0'];

const COLOURS = ['f00', '336699', '00ff00', 'white', 'black'];
const TEXTS = [
  'Hello',
  'a%2Cb%7Ec',
  '100%',
  '<b>&amp;</b>',
  'שלום',
  'مرحبا',
  '😀👩‍👩‍👧',
  'two\nlines',
  '%FF',
  '',
  'x'.repeat(501),
  'W'.repeat(400),
];
/** Characters with a meaning in the language. */
const LETTERS = [...'~,:_%./-0123456789lwhefx '];

/** Formats that a shape does not express. */
const FORMS: Readonly<Record<string, (random: Random) => string>> = {
  rg: (random) => lengths(random, 4),
  pd: (random) => numbers(random, 4, 60),
  r: (random) => (random.below(4) === 0 ? 'max' : numbers(random, 4, 60)),
  bo: (random) => `${1 + random.below(30)}:${random.pick(COLOURS)}`,
  st: (random) => `${1 + random.below(20)}:${random.pick(COLOURS)}`,
  sd: (random) => `${random.below(20) - 10}:${random.below(20) - 10}:${random.below(51)}:${random.pick(COLOURS)}`,
  e_tint: (random) => `${random.pick(COLOURS)}:${1 + random.below(100)}`,
  e_duotone: (random) => `${random.pick(COLOURS)}:${random.pick(COLOURS)}`,
  x: (random) => length(random, true),
  y: (random) => length(random, true),
  ar: (random) => `${1 + random.below(20)}:${1 + random.below(20)}`,
  a: (random) => random.pick(['90', '-33', 'hflip', 'vflip.90', 'hflip.vflip', 'auto', '45', '720']),
  fs: (random) => String(random.pick([4, 12, 32, 64, 512])),
};

/**
 * Returns a transformation of an image, with or without layers. One in ten is mangled, and some have invalid values.
 */
export function randomSegment(random: Random, files: readonly string[]): string {
  const base = words(random, random.below(20) === 0 ? [...imageSteps, ...videoSteps] : imageSteps);
  const count = random.below(3) === 0 ? random.below(MOST_LAYERS + 1) : random.below(3);
  const layers = Array.from({ length: count }, () => layer(random, files));
  const segment = (base === '' ? layers : [base, ...layers]).join('~');
  return random.below(10) === 0 ? mangled(random, segment) : segment;
}

function layer(random: Random, files: readonly string[]): string {
  const isText = random.below(2) === 0;
  const escaped = (name: string) => encodeURIComponent(name).replaceAll('~', '%7E').replaceAll('%2F', ':');
  const name = isText
    ? `text:${random.pick(TEXTS)}`
    : escaped(random.pick([...files, ...(random.below(10) === 0 ? ['missing.png', 'clip.mp4', '../x.png'] : [])]));
  const parameters: readonly AnyParameter[] = isText ? textLayer : imageLayer;
  const own = words(random, parameters);
  return own === '' ? `l_${name}` : `l_${name},${own}`;
}

function words(random: Random, parameters: readonly AnyParameter[]): string {
  const count = random.below(MOST_WORDS);
  return Array.from({ length: count }, () => word(random, random.pick(parameters))).join(',');
}

function word(random: Random, parameter: AnyParameter): string {
  const { key, aliases = [], separator = '_', alone, syntax } = parameter;
  if (alone !== undefined && random.below(2) === 0) return key;
  const written = separator === '_' ? random.pick([key, ...aliases]) : key;
  const isWrong = random.below(WRONG) === 0;
  const value = isWrong ? random.pick(WRONG_VALUES) : (FORMS[key]?.(random) ?? valueFor(random, syntax.shape(RULES)));
  return `${written}${separator}${value}`;
}

function valueFor(random: Random, shape: Shape): string {
  if (shape.auto && random.below(4) === 0) return 'auto';
  switch (shape.kind) {
    case 'integer':
      return String(near(random, shape.min, shape.max));
    case 'decimal':
      return (near(random, shape.min * 100, shape.max * 100) / 100).toFixed(random.below(4));
    case 'choice':
      return random.pick(shape.values);
    case 'boolean':
      return random.pick(['true', 'false', '1', '0']);
    case 'colour':
      return random.pick(COLOURS);
    default:
      return random.below(2) === 0 ? length(random, false) : numbers(random, 4, 100);
  }
}

/** Returns a value within a range, its ends more often than by chance. */
function near(random: Random, min: number, max: number): number {
  return random.below(6) === 0 ? random.pick([min, max]) : Math.floor(min + random.next() * (max - min + 1));
}

function numbers(random: Random, most: number, end: number): string {
  return Array.from({ length: 1 + random.below(most) }, () => random.below(end)).join(':');
}

function lengths(random: Random, count: number): string {
  return Array.from({ length: count }, () => length(random, false)).join(':');
}

function length(random: Random, mayBeNegative: boolean): string {
  const sign = mayBeNegative && random.below(3) === 0 ? '-' : '';
  return (
    sign +
    (random.below(2) === 0
      ? String(1 + random.below(120))
      : ((1 + random.below(99)) / 100).toFixed(1 + random.below(3)))
  );
}

function mangled(random: Random, segment: string): string {
  const letters = [...segment];
  for (let times = 1 + random.below(4); times > 0; times--) {
    letters.splice(random.below(letters.length + 1), random.below(2), random.pick(LETTERS));
  }
  return letters.join('');
}
