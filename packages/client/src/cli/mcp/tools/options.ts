import type { components, operations } from '../../../api-types.ts';
import { LAYER_PARAMETERS, PARAMETERS } from '../../../parameters.ts';
import { UsageError } from '../../command.ts';
import { jsonText, plain, quote } from '../../printable.ts';
import type { Fields } from '../json-rpc.ts';
import type { Schema } from '../schema.ts';

type Parameter = components['schemas']['Parameter'];
/** Description of its URLs by a service. */
export type Language = operations['listTransformations']['responses'][200]['content']['application/json'];

const namesOf = (declared: string) => [
  ...new Set(Array.from(declared.matchAll(/(\w+)[=?]/g), ([, name = '']) => name)),
];

const VALUE: Schema = { type: ['number', 'string', 'boolean'] };

const LAYERS: Schema = {
  type: 'array',
  maxItems: 8,
  items: { type: 'object' },
  description:
    'Laid over it, the lowest first: {"picture": "brand/logo.png"} or {"text": "Hello"}, with options of their own: ' +
    `${namesOf(LAYER_PARAMETERS).join(', ')}.`,
};

/** Returns the schema of the options, with values if the service describes them. */
export function optionsSchema(language?: Language): Schema {
  const describe = (name: string): Schema => {
    const forms = language && formsOf(name, [language.image, language.video]);
    return forms === undefined ? VALUE : { ...VALUE, description: forms };
  };
  return {
    type: 'object',
    description: 'Without any it is the original. Colours are hexadecimal digits without #.',
    properties: {
      ...Object.fromEntries(namesOf(PARAMETERS).map((name) => [name, describe(name)])),
      layers: LAYERS,
    },
    additionalProperties: false,
  };
}

/**
 * Rejects values that no URL of the service can have, as far as its description says.
 * @throws UsageError that says what was expected
 */
export function checkOptions({ layers = [], ...options }: Fields, language: Language): void {
  checkAll(options, [language.image, language.video]);
  for (const { picture, text, ...others } of layers as Fields[]) {
    checkAll(others, [text === undefined ? language.layer : language.text]);
  }
}

function checkAll(options: Fields, lists: readonly (readonly Parameter[])[]): void {
  for (const [name, value] of Object.entries(options)) {
    const all = lists.flatMap((list) => list.filter((one) => one.name === name));
    if (all.length === 0 || all.some((one) => fits(value, one))) continue;
    throw new UsageError(`${quote(name)}: expected ${formsOf(name, lists)}, received ${jsonText(value)}.`);
  }
}

function fits(value: unknown, parameter: Parameter): boolean {
  const { shape, alone } = parameter;
  if (typeof value === 'boolean') return shape.kind === 'boolean' || alone !== undefined;
  if (typeof value === 'string' && isWord(value, parameter)) return true;
  if (shape.kind !== 'integer' && shape.kind !== 'decimal') return shape.kind !== 'choice' && shape.kind !== 'boolean';
  const number = Number(value);
  // Angles wrap around.
  const isInRange = shape.unit === 'degrees' || (number >= shape.min && number <= shape.max);
  return isInRange && (shape.kind === 'decimal' || Number.isInteger(number));
}

/** True for a listed text, and for one of several parts, such as `fp:0.3:0.7`, which the service checks. */
function isWord(value: string, { shape, forms }: Parameter): boolean {
  if (shape.auto === true && value === 'auto') return true;
  if (shape.kind === 'choice' && shape.values.includes(value)) return true;
  return forms.includes(`\`${value}\``) || (/[.:]/.test(value) && Number.isNaN(Number(value)));
}

/** Describes the values of an option with the limits of the service, without aliases. */
function formsOf(name: string, lists: readonly (readonly Parameter[])[]): string | undefined {
  const all = lists.flatMap((list) => list.filter((one) => one.name === name));
  const said = all.map(({ forms, shape }) => {
    const long = forms.split('; ').filter((form) => !form.includes(' = '));
    return long.join('; ').replace('`MAX_OUTPUT_SIDE`', 'max' in shape ? String(shape.max) : 'the largest side');
  });
  return said.length === 0 ? undefined : plain([...new Set(said)].join('; of videos: ').replaceAll('`', ''));
}
