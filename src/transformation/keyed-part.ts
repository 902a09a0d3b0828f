import type { Parameter, ParameterList } from './param.ts';

/** A part of a segment whose key is known. */
export interface KeyedPart {
  parameter: Parameter<string, unknown>;
  /** Of the value; undefined where the key stands alone. */
  text: string | undefined;
}

type ByKey = ReadonlyMap<string, Parameter<string, unknown>>;

/** The keys of a list of parameters. Of equal keys the first in the list counts. */
interface Keys {
  /** Those that mean something without a value. */
  alone: ByKey;
  /** Those that end at a colon, such as `e_blur`. */
  beforeColon: ByKey;
  /** All others, with their aliases. They end at a `_`. */
  beforeUnderscore: ByKey;
  /** The length of the longest of those that end at a `_`, and of those that end at a colon. */
  longest: number;
  longestEffect: number;
}

const indexes = new WeakMap<ParameterList, Keys>();

/**
 * Finds the parameter by the longest key that fits: `thumbnail_time_5` is not `t` with a long value. A key with a separator of
 * its own goes up to that; one that means something alone may stand alone.
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

/** Finds a parameter whose value a colon should separate, and a `_` does: `e_blur_5`. */
export function findMissingColon(part: string, lists: readonly ParameterList[]): Parameter<string, unknown> | undefined {
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
