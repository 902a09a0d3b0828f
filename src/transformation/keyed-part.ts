import type { Parameter, ParameterList } from './param.ts';

export interface KeyedPart {
  parameter: Parameter<string, unknown>;
  /** Of the value; undefined for a key without a value. */
  text: string | undefined;
}

type ByKey = ReadonlyMap<string, Parameter<string, unknown>>;

/** Keys of a list of parameters. Of equal keys the first in the list applies. */
interface Keys {
  /** Keys that are valid without a value. */
  alone: ByKey;
  /** Keys that end at a colon, such as `e_blur`. */
  beforeColon: ByKey;
  /** All others, with their aliases. They end at a `_`. */
  beforeUnderscore: ByKey;
  /** Length of the longest key that ends at a `_`, and of the longest that ends at a colon. */
  longest: number;
  longestEffect: number;
}

const indexes = new WeakMap<ParameterList, Keys>();

/**
 * Finds the parameter by the longest key that fits: `thumbnail_time_5` is not `t` with a long value. A key with its own
 * separator extends up to that; one that is valid without a value may stand alone.
 */
export function findKeyedPart(part: string, list: ParameterList): KeyedPart | undefined {
  const keys = keysOf(list);
  const alone = keys.alone.get(part);
  if (alone) return { parameter: alone, text: undefined };
  const colon = part.indexOf(':');
  const effect = colon < 0 ? undefined : keys.beforeColon.get(part.slice(0, colon));
  if (effect) return { parameter: effect, text: part.slice(colon + 1) };
  const found = cutAtUnderscore(part, keys.beforeUnderscore, keys.longest);
  return found && { parameter: found.parameter, text: part.slice(found.cut + 1) };
}

/** Finds a parameter that needs a colon before its value and has a `_`: `e_blur_5`. */
export function findMissingColon(
  part: string,
  lists: readonly ParameterList[],
): Parameter<string, unknown> | undefined {
  for (const list of lists) {
    const { beforeColon, longestEffect } = keysOf(list);
    const found = cutAtUnderscore(part, beforeColon, longestEffect);
    if (found) return found.parameter;
  }
  return undefined;
}

/** Tries only the cuts at which a known key can end, so that a long row of `_` takes no more tries than a short one. */
function cutAtUnderscore(part: string, byKey: ByKey, longest: number) {
  for (let cut = part.lastIndexOf('_', longest); cut > 0; cut = part.lastIndexOf('_', cut - 1)) {
    const parameter = byKey.get(part.slice(0, cut));
    if (parameter) return { parameter, cut };
  }
  return undefined;
}

function keysOf(list: ParameterList): Keys {
  let keys = indexes.get(list);
  if (!keys) {
    keys = indexKeys(list);
    indexes.set(list, keys);
  }
  return keys;
}

function indexKeys(list: ParameterList): Keys {
  const alone = new Map<string, Parameter<string, unknown>>();
  const beforeColon = new Map<string, Parameter<string, unknown>>();
  const beforeUnderscore = new Map<string, Parameter<string, unknown>>();
  for (const parameter of list) {
    const { key, aliases = [], separator } = parameter;
    if (separator || parameter.alone !== undefined) addKey(alone, key, parameter);
    if (separator) addKey(beforeColon, key, parameter);
    else for (const name of [key, ...aliases]) addKey(beforeUnderscore, name, parameter);
  }
  return {
    alone,
    beforeColon,
    beforeUnderscore,
    longest: longestOf(beforeUnderscore),
    longestEffect: longestOf(beforeColon),
  };
}

function addKey(
  byKey: Map<string, Parameter<string, unknown>>,
  key: string,
  parameter: Parameter<string, unknown>,
): void {
  if (!byKey.has(key)) byKey.set(key, parameter);
}

function longestOf(byKey: ByKey): number {
  return Math.max(0, ...[...byKey.keys()].map((key) => key.length));
}
