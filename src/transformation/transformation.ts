import { badRequest } from '../errors.ts';
import { quote } from '../path.ts';
import { findKeyedPart, findMissingColon, type KeyedPart } from './keyed-part.ts';
import type { OptionsOf, Parameter, ParameterList, ParameterRules, Reading, Syntax } from './param.ts';

type RawOptions = Readonly<Record<string, unknown>>;

/**
 * Parses a percent-decoded URL segment. `own` are the parameters of the file's kind, `foreign` those of other kinds:
 * they are understood everywhere, so that a segment reads the same for any file, and are ignored where they have no
 * meaning. The last of repeated keys applies.
 * @returns undefined if the segment is not a transformation but a folder name
 * @throws HttpProblem 400 if every part is well-formed but a value is out of range
 */
export function parseSegment<List extends ParameterList>(
  segment: string,
  own: List,
  foreign: readonly ParameterList[],
  rules: ParameterRules,
): OptionsOf<List> | undefined {
  return readSegment(segment, own, foreign, rules)?.options;
}

/** A parameter that multiplies lengths, with its value. */
export interface Scale {
  key: string;
  factor: number;
}

/**
 * Like `parseSegment`, and returns the factor of the segment for its layers.
 * @param scale multiplies the lengths if the segment names no factor
 */
export function readSegment<List extends ParameterList>(
  segment: string,
  own: List,
  foreign: readonly ParameterList[],
  rules: ParameterRules,
  scale?: Scale,
): { options: OptionsOf<List>; scale: Scale | undefined } | undefined {
  const last = readParts(segment, own, foreign, rules);
  if (!last) return undefined;
  const options: Record<string, unknown> = {};
  for (const [name, reading] of last) {
    if ('expected' in reading) throw outOfRange(reading.keyed, reading.expected);
    options[name] = reading.value;
  }
  const factors = own.find(({ isFactor, name }) => isFactor && options[name] !== undefined);
  const { [factors?.name ?? '']: factor, ...others } = options;
  const by = factors ? { key: factors.key, factor: Number(factor) } : scale;
  const scaled = by ? multiply(others, own, by, rules) : others;
  return { options: withoutDefaults(scaled as OptionsOf<List>, own), scale: by };
}

/** @throws HttpProblem 400 if a multiplied length is out of range; it names both parameters */
function multiply(options: RawOptions, list: ParameterList, by: Scale, rules: ParameterRules): RawOptions {
  const scaled = list.flatMap((parameter) => {
    const { key, name, syntax, scale } = parameter;
    if (!scale || options[name] === undefined) return [];
    const reading = syntax.parse(syntax.format(scale(options[name], by.factor)), rules);
    if (reading && 'value' in reading) return [[name, reading.value]];
    const expected = reading && 'expected' in reading ? reading.expected : formsOf(syntax);
    throw parameterProblem(key, expected, `${syntax.format(options[name])} times ${by.key}_${by.factor}`);
  });
  return { ...options, ...Object.fromEntries(scaled) };
}

/**
 * Writes the canonical text: parameters in the order of their list, one spelling each, without defaults and parameters
 * without effect. Equal texts mean equal results; the text is part of a variant's key.
 */
export function formatOptions<List extends ParameterList>(options: OptionsOf<List>, list: List): string {
  const effective = withoutDefaults(options, list) as RawOptions;
  return list
    .filter(({ name }) => effective[name] !== undefined)
    .map((parameter) => formatPart(parameter, effective[parameter.name]))
    .join(',');
}

function formatPart({ key, separator, syntax, alone }: Parameter<string, unknown>, value: unknown): string {
  const text = syntax.format(value);
  return alone !== undefined && text === syntax.format(alone) ? key : `${key}${separator ?? '_'}${text}`;
}

/** True if a part of the segment was added when folders could already have its name. */
export function isLateSegment(segment: string, lists: readonly ParameterList[], rules: ParameterRules): boolean {
  return segment.split(',').some((part) =>
    lists.some((list) => {
      const keyed = findKeyedPart(part, list);
      const reading = keyed && readKeyedPart(keyed, rules);
      // A text out of range has no value that could be an early one.
      return reading && keyed.parameter.isLate && (!('value' in reading) || keyed.parameter.isLate(reading.value));
    }),
  );
}

/** Makes the 400 for a parameter, with its key, the expected format and the received text. */
export function parameterProblem(key: string, expected: string, received: string) {
  return badRequest(`Parameter "${key}": ${mismatch(expected, received)}.`, 'parameter_out_of_range');
}

/** Prefix of the names of effects. */
const EFFECT = 'e_';

/** Reason why a part of a segment is not understood, for messages. */
export interface ValidationError {
  reason: string;
  /** True if its key is that of a parameter, so that a parameter was intended. */
  isKnown: boolean;
}

/**
 * Returns the reason why no list can read a part; undefined if one can. The expected format is that of the first list
 * with its key.
 */
export function validationErrorOf(
  part: string,
  lists: readonly ParameterList[],
  rules: ParameterRules,
): ValidationError | undefined {
  const keyedParts = lists.map((list) => findKeyedPart(part, list)).filter((keyed) => keyed !== undefined);
  if (keyedParts.some((keyed) => isReadable(keyed, rules))) return undefined;
  const [keyed] = keyedParts;
  if (keyed) {
    const { key, syntax } = keyed.parameter;
    return {
      isKnown: true,
      reason: `parameter "${key}": ${mismatch(formsOf(syntax), keyed.text ?? '')}`,
    };
  }
  const effect = findMissingColon(part, lists);
  if (effect) {
    const { key } = effect;
    return { isKnown: true, reason: `parameter "${key}": expected ${key}:value, received ${quote(part)}` };
  }
  const end = part.startsWith(EFFECT) ? part.replace(/:.*/, '').length : part.indexOf('_');
  const reason =
    end > 0
      ? `there is no parameter ${quote(part.slice(0, end))}`
      : `expected parts like w_400, received ${quote(part)}`;
  return { isKnown: false, reason };
}

/** Removes the markup of the reference. */
function formsOf({ forms }: Syntax<unknown>): string {
  return forms.replaceAll('`', '');
}

function mismatch(expected: string, received: string): string {
  return `expected ${expected}, received ${quote(received)}`;
}

function withoutDefaults<List extends ParameterList>(options: OptionsOf<List>, list: List): OptionsOf<List> {
  const all = options as RawOptions;
  const effective = list.filter((parameter) => {
    const value = all[parameter.name];
    if (value === undefined || parameter.idle?.(all)) return false;
    return (
      parameter.default === undefined || parameter.syntax.format(value) !== parameter.syntax.format(parameter.default)
    );
  });
  return Object.fromEntries(effective.map(({ name }) => [name, all[name]])) as OptionsOf<List>;
}

type OwnReading = { keyed: KeyedPart; value: unknown } | { keyed: KeyedPart; expected: string };
type PartReading = OwnReading | 'ignored' | undefined;

/**
 * Reads the parts; the last of repeated own parameters applies. Undefined without a part, or with an unreadable one.
 */
function readParts(
  segment: string,
  own: ParameterList,
  foreign: readonly ParameterList[],
  rules: ParameterRules,
): ReadonlyMap<string, OwnReading> | undefined {
  const last = new Map<string, OwnReading>();
  let isEmpty = true;
  for (const part of segment.split(',')) {
    if (part === '') continue;
    isEmpty = false;
    const reading = readPart(part, own, foreign, rules);
    // Skip the rest: a segment with such a part is a folder name.
    if (reading === undefined) return undefined;
    if (reading !== 'ignored') last.set(reading.keyed.parameter.name, reading);
  }
  return isEmpty ? undefined : last;
}

function readPart(
  part: string,
  own: ParameterList,
  foreign: readonly ParameterList[],
  rules: ParameterRules,
): PartReading {
  const keyed = findKeyedPart(part, own);
  const reading = keyed && readKeyedPart(keyed, rules);
  if (keyed && reading) return { keyed, ...reading };
  if (!foreign.some((list) => isReadable(findKeyedPart(part, list), rules))) return undefined;
  return keyed ? { keyed, expected: formsOf(keyed.parameter.syntax) } : 'ignored';
}

function readKeyedPart({ parameter, text }: KeyedPart, rules: ParameterRules): Reading<unknown> {
  if (text !== undefined) return parameter.syntax.parse(text, rules);
  return parameter.alone === undefined ? undefined : { value: parameter.alone };
}

function isReadable(keyed: KeyedPart | undefined, rules: ParameterRules): boolean {
  return keyed !== undefined && readKeyedPart(keyed, rules) !== undefined;
}

function outOfRange({ parameter, text }: KeyedPart, expected: string) {
  return parameterProblem(parameter.key, expected, text ?? '');
}
