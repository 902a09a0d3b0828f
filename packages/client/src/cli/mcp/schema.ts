import { jsonText, quote } from '../printable.ts';
import { isObject } from './json-rpc.ts';

type Type = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

/** Subset of JSON Schema that describes the arguments of tools. */
export interface Schema {
  type?: Type | readonly Type[];
  description?: string;
  default?: unknown;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  items?: Schema;
  maxItems?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: false;
}

/** Describes the validation error of a value; undefined if it is valid. @param name used in the message */
export function problemOf(value: unknown, schema: Schema, name: string): string | undefined {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const isOfType = types.length === 0 || types.some((type) => isOf(value, type));
  const { minimum = -Infinity, maximum = Infinity, maxItems = Infinity } = schema;
  const isInRange =
    (typeof value !== 'number' || (value >= minimum && value <= maximum)) &&
    (typeof value !== 'string' || (schema.enum?.includes(value) ?? true)) &&
    (!Array.isArray(value) || value.length <= maxItems);
  if (!isOfType || !isInRange)
    return `${quote(name)}: expected ${expectedBy(schema, types)}, received ${shown(value)}.`;
  if (Array.isArray(value)) return firstProblem(value.map((item, at) => [item, schema.items ?? {}, `${name}[${at}]`]));
  return isObject(value) ? problemWithin(value, schema, name) : undefined;
}

function problemWithin(value: object, schema: Schema, name: string): string | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  const missing = required.find((one) => !entries.some(([key]) => key === one));
  if (missing !== undefined) return `${quote(name)}: expected ${quote(missing)} in it.`;
  const unknown = entries.find(([key]) => !Object.hasOwn(properties, key));
  if (unknown !== undefined && additionalProperties === false) {
    return `${quote(name)}: expected only ${Object.keys(properties).join(', ')}, received ${quote(unknown[0])}.`;
  }
  return firstProblem(entries.map(([key, one]) => [one, properties[key] ?? {}, key]));
}

function firstProblem(all: readonly Parameters<typeof problemOf>[]): string | undefined {
  for (const one of all) {
    const problem = problemOf(...one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isOf(value: unknown, type: Type): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

const NAMES: Readonly<Record<Type, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

function expectedBy(schema: Schema, types: readonly Type[]): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  const kinds = types.map((type) => NAMES[type]).join(', or ');
  if (schema.maxItems !== undefined) return `${kinds} of at most ${schema.maxItems}`;
  return schema.maximum === undefined ? kinds : `${kinds} from ${schema.minimum} to ${schema.maximum}`;
}

const MAX_SHOWN = 100;

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : jsonText(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
