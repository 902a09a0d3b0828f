// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it writes types of templates.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageLayer, textLayer } from '../src/image/layers/parameters.ts';
import { imageSteps } from '../src/image/steps/index.ts';
import type { Parameter, ParameterList } from '../src/transformation/param.ts';
import { videoSteps } from '../src/video/steps/index.ts';

// Writes the options of the client from the declarations of the parameters: their types with their descriptions, and
// the table that converts them to the text of a URL.

const SOURCES = join(import.meta.dirname, '..', 'packages', 'client', 'src');
export const OPTIONS_FILE = join(SOURCES, 'options.ts');
export const PARAMETERS_FILE = join(SOURCES, 'parameters.ts');

const HEADER = '// Written by "npm run docs" from the declarations of the parameters; do not edit.\n\n';

type AnyParameter = Parameter<string, unknown>;

const RULES = { outputSide: 8192 };

/** Formats that a syntax accepts in addition to its shape, each with a sample text that only such values match. */
const FORMS: readonly (readonly [sample: string, type: string])[] = [
  ['12', 'number'],
  ['0.5', 'number'],
  ['auto', "'auto'"],
  ['max', "'max'"],
  ['hflip', "'hflip' | 'vflip'"],
  ['hflip.90', '`hflip.${number}` | `vflip.${number}`'],
  ['fp:0.5:0.5', '`fp:${number}:${number}`'],
  ['blur', "'blur'"],
  ['blur:5', '`blur:${number}`'],
  ['1:2', '`${number}:${number}`'],
  ['1:2:3', '`${number}:${number}:${number}`'],
  ['1:2:3:4', '`${number}:${number}:${number}:${number}`'],
  ['ff0000:50', '`${string}:${number}`'],
  ['4:ff0000', '`${number}:${string}`'],
  ['1:2:3:ff0000', '`${number}:${number}:${number}:${string}`'],
  ['ff0000:00ff00', '`${string}:${string}`'],
  ['ff0000', 'Colour'],
];
/** A syntax that accepts this accepts anything. */
const ANY_WORD = 'any word';

/** Returns the types of all options, as a module. */
export function optionTypes(): string {
  const options = byName(imageSteps, videoSteps);
  const shared = imageLayer.filter((one) => (textLayer as ParameterList).includes(one));
  const ofImages = imageLayer.filter((one) => !(shared as ParameterList).includes(one));
  const ofTexts = textLayer.filter((one) => !(shared as ParameterList).includes(one));
  return `${HEADER}${COLOUR}
/** Transformation of an image or a video. Options that do not apply to the kind of the file are ignored. */
export interface Options {
${options.map((one) => member(one, true)).join('\n')}
  /** Images and texts over the result, from the lowest to the highest; at most 8. */
  layers?: readonly Layer[] | undefined;
}

/** Options of every layer. */
interface LayerOptions {
${byName(shared)
  .map((one) => member(one))
  .join('\n')}
}

/** Layer that shows an image of the library. */
export interface PictureLayer extends LayerOptions {
  /** Path of the image in the library: \`brand/logo.png\`. */
  picture: string;
  text?: never;
${byName(ofImages)
  .map((one) => member(one))
  .join('\n')}
}

/** Layer that shows a text. */
export interface TextLayer extends LayerOptions {
  /** The text, not encoded; \`\\n\` begins a new line. */
  text: string;
  picture?: never;
${byName(ofTexts)
  .map((one) => member(one))
  .join('\n')}
}

export type Layer = PictureLayer | TextLayer;
`;
}

/** Returns the order and the keys of all options, as a module. */
export function parameterTable(): string {
  const layers = byName(
    imageLayer.filter((one) => !(textLayer as ParameterList).includes(one)),
    textLayer,
  );
  return `${HEADER}/** \`name=key\` with its separator, \`name?key\` if the key can stand alone; in the order of the canonical text. */
export const PARAMETERS =
  '${tableOf(byName(imageSteps, videoSteps))}';

/** Parameters of layers: of images, then of texts, then of both. */
export const LAYER_PARAMETERS =
  '${tableOf(layers)}';
`;
}

/** Groups parameters by name: one name has one key in every list. The first list defines the order. */
function byName(...lists: readonly ParameterList[]): AnyParameter[][] {
  const found = new Map<string, AnyParameter[]>();
  for (const parameter of lists.flat()) found.set(parameter.name, [...(found.get(parameter.name) ?? []), parameter]);
  for (const [name, all] of found) {
    if (all.some(({ key }) => key !== all[0]?.key)) throw new Error(`${name} has several keys.`);
  }
  return [...found.values()];
}

function tableOf(groups: readonly AnyParameter[][]): string {
  return groups
    .flatMap(([one]) =>
      one ? [`${one.name}${one.alone === undefined ? '=' : '?'}${one.key}${one.separator ?? '_'}`] : [],
    )
    .join(' ');
}

function member(group: readonly AnyParameter[], isForFiles = false): string {
  const [{ name, key } = { name: '', key: '' }] = group;
  const types = [...new Set(group.flatMap(typesOf))];
  const [first, ...others] = [...new Set(group.map(sayings))];
  const isOfVideos = isForFiles && !(imageSteps as ParameterList).some((one) => group.includes(one));
  const said = [`${isOfVideos ? 'Videos: ' : ''}${first}`, ...others.map((text) => `Videos: ${text}`)];
  const lines = [...said, `In a URL: \`${key}\`.`].map((line) => `   * ${line.replaceAll('*/', '*\\/')}`);
  return `  /**\n${lines.join('\n   *\n')}\n   */\n  ${name}?: ${types.join(' | ')} | undefined;`;
}

function typesOf({ syntax, alone }: AnyParameter): string[] {
  const shape = syntax.shape(RULES);
  const reads = (text: string) => {
    const reading = syntax.parse(text, RULES);
    return reading !== undefined && 'value' in reading;
  };
  const words = shape.kind === 'choice' ? shape.values.map((word) => `'${word}'`) : [];
  if (reads(ANY_WORD)) return [...words, '(string & {})'];
  const named: Record<string, string> = { boolean: 'boolean', integer: 'number', decimal: 'number' };
  const forms = FORMS.filter(([sample, type]) => reads(sample) && !(shape.kind === 'boolean' && type === 'number'));
  // A text can be 1.0, which differs from 1.
  const hasShares = reads('1.0') && written(syntax, '1.0') !== written(syntax, '1');
  const isSwitch = alone !== undefined && shape.kind !== 'boolean';
  const all = [...words, named[shape.kind] ?? [], ...forms.map(([, type]) => type)].flat();
  return [...new Set([...all, ...(hasShares ? ['`${number}`'] : []), ...(isSwitch ? ['boolean'] : [])])];
}

function written(syntax: AnyParameter['syntax'], text: string): string | undefined {
  const reading = syntax.parse(text, RULES);
  return reading && 'value' in reading ? syntax.format(reading.value) : undefined;
}

function sayings({ syntax, reference, alone, ...parameter }: AnyParameter): string {
  const { kind } = syntax.shape(RULES);
  const standard = parameter.default === undefined ? undefined : syntax.format(parameter.default);
  return [
    withoutLinks(reference.summary),
    ...(kind === 'choice' || kind === 'boolean' ? [] : [`Value: ${syntax.forms}.`]),
    ...(standard === undefined ? [] : [`Default: \`${standard}\`.`]),
    ...(alone === undefined || kind === 'boolean' ? [] : [`\`true\`: \`${syntax.format(alone)}\`.`]),
  ].join(' ');
}

/** Removes links: the pages of the documentation are not in the package. */
function withoutLinks(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

const COLOUR = `/** Hexadecimal digits without \`#\`, 3, 6 or (with alpha) 8 of them, or a name. */
export type Colour = 'white' | 'black' | 'transparent' | (string & {});
`;

if (import.meta.main) {
  await writeFile(OPTIONS_FILE, optionTypes());
  await writeFile(PARAMETERS_FILE, parameterTable());
}
