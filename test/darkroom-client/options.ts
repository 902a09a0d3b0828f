import fc from 'fast-check';
import type { Options } from '../../packages/client/src/index.ts';
import { imageLayer, textLayer } from '../../src/image/layers/parameters.ts';
import type { ParameterList } from '../../src/transformation/param.ts';

// Random options of the client, generated from the declarations of the parameters.

type Declared = ParameterList[number];

const RULES = { outputSide: 8192 };

const whole = (min: number, max: number) => fc.integer({ min, max });
const share = (min: number, max: number) =>
  fc.integer({ min: min * 100, max: max * 100 }).map((hundredth) => hundredth / 100);
const hex = fc.constantFrom('fff', '336699', '33669980');
const opaque = fc.constantFrom('abc', '336699', 'black');
const colour = fc.oneof(hex, fc.constantFrom('white', 'black', 'transparent'));
const joined = (...parts: fc.Arbitrary<unknown>[]) => fc.tuple(...parts).map((values) => values.join(':'));
const sides = (max: number) =>
  fc.oneof(
    whole(0, max),
    fc.array(whole(0, max), { minLength: 2, maxLength: 4 }).map((all) => all.join(':')),
  );
const length = fc.oneof(
  whole(1, 8192),
  whole(1, 99).map((percent) => percent / 100),
  fc.constantFrom('1.0', '0.50'),
);
const offset = fc.oneof(whole(-8192, 8192), share(-0.99, 0.99), fc.constantFrom('1.0', '-1.0', '0.0'));

/** Values that a shape does not describe. */
const BY_NAME: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  angle: fc.oneof(whole(-1000, 1000), fc.constantFrom('auto', 'hflip', 'vflip', 'hflip.90')),
  region: joined(whole(0, 500), fc.constantFrom('0.1', '0.0', '20'), fc.constantFrom('0.5', '300'), whole(1, 500)),
  aspectRatio: joined(whole(1, 500), share(1, 5)),
  tint: fc.oneof(opaque, joined(opaque, whole(1, 100))),
  duotone: joined(opaque, opaque),
  padding: sides(2000),
  boxPadding: sides(2000),
  border: joined(whole(1, 200), colour),
  outline: joined(whole(1, 20), colour),
  shadow: joined(whole(-200, 200), whole(-200, 200), whole(0, 50), colour),
  x: offset,
  y: offset,
  background: fc.oneof(colour, fc.constantFrom('auto', 'blur', 'blur:5.5')),
  family: fc.constantFrom('Noto Sans', 'Größe 100%', 'Fünf & Söhne?', 'a:b_c'),
};

function valuesOf(parameter: Declared): fc.Arbitrary<unknown> {
  const known = BY_NAME[parameter.name];
  if (known) return known.filter((value) => isRead(parameter, value));
  const shape = parameter.syntax.shape(RULES);
  const auto = shape.auto ? [fc.constant('auto')] : [];
  const alone = parameter.alone === undefined ? [] : [fc.boolean()];
  if (shape.kind === 'integer') return fc.oneof(whole(shape.min, shape.max), ...auto, ...alone);
  if (shape.kind === 'decimal') {
    return fc.oneof(share(Math.max(shape.min, 0.3), Math.min(shape.max, 900)), ...auto, ...alone);
  }
  if (shape.kind === 'choice') return fc.oneof(fc.constantFrom(...shape.values), ...auto);
  if (shape.kind === 'boolean') return fc.boolean();
  if (shape.kind === 'colour') return colour;
  if (shape.kind === 'corners') return fc.oneof(sides(500), fc.constant('max'));
  if (parameter.key === 'w' || parameter.key === 'h') return length;
  throw new Error(`Nobody says what ${parameter.name} may be.`);
}

/** True if the syntax accepts a value; videos have fewer backgrounds than images. */
function isRead({ syntax }: Declared, value: unknown): boolean {
  const reading = syntax.parse(String(value), RULES);
  return reading !== undefined && 'value' in reading;
}

/** Returns some of the options of a list, in any order. `pixelRatio` is a factor of others, not a value of its own. */
export function optionsOf(list: ParameterList): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .shuffledSubarray(list.filter(({ isFactor }) => !isFactor))
    .chain((some) => fc.tuple(...some.map((one) => valuesOf(one).map((value) => [one.name, value] as const))))
    .map((entries) => Object.fromEntries(entries));
}

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((one) => !/[\\/\p{Cc}]/u.test(one) && one !== '.' && one !== '..' && one.isWellFormed());
export const paths = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

const texts = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((one) => !/[^\P{Cc}\n]/u.test(one) && one.isWellFormed());

const layers = fc.oneof(
  fc.tuple(paths, optionsOf(imageLayer)).map(([picture, options]) => ({ picture, ...options })),
  fc.tuple(texts, optionsOf(textLayer)).map(([text, options]) => ({ text, ...options })),
);

/** Returns options of a list with layers over them. */
export function layeredOptions(list: ParameterList): fc.Arbitrary<Options> {
  return fc
    .tuple(optionsOf(list), fc.array(layers, { maxLength: 4 }))
    .map(([options, over]) => ({ ...options, layers: over }) as Options);
}

/** Returns options as parsed by the service: each value by its own syntax, without those that are off. */
export function meaningOf(options: object, list: ParameterList): Record<string, unknown> {
  const given = new Map<string, unknown>(Object.entries(options));
  const meant = list.flatMap(({ name: key, syntax, alone }) => {
    const value = given.get(key);
    if (value === undefined || (alone !== undefined && value === false)) return [];
    if (alone !== undefined && value === true) return [[key, alone]];
    const reading = syntax.parse(String(value), RULES);
    if (reading && 'value' in reading) return [[key, reading.value]];
    throw new Error(`${key}: ${String(value)} is no value of it.`);
  });
  return Object.fromEntries(meant);
}
