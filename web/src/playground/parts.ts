import type { Parameter } from '../api/types.ts';
import type { Shape } from './controls/shape.ts';

/** Part of a transformation or layer. The key is empty if it is not understood. */
export interface Part {
  key: string;
  value: string;
  text: string;
}

/** Parses comma-separated parts; aliases are resolved. */
export function readParts(written: string, parameters: readonly Parameter[]): Part[] {
  const texts = written.split(',').filter((text) => text !== '');
  return texts.map((text) => ({ key: '', value: text, ...readPart(text, parameters), text }));
}

/**
 * Longest matching key: `thumbnail_time_5` is not `t` with a long value. A key with its own separator ends there; some
 * keys may stand alone.
 */
function readPart(text: string, parameters: readonly Parameter[]): { key: string; value: string } | undefined {
  const colon = text.indexOf(':');
  const head = colon < 0 ? text : text.slice(0, colon);
  const alone = parameters.find((parameter) => parameter.key === text && parameter.alone !== undefined);
  if (alone) return { key: alone.key, value: alone.alone ?? '' };
  const effect = parameters.find(({ key, separator }) => separator === ':' && key === head);
  if (effect) return { key: effect.key, value: colon < 0 ? '' : text.slice(colon + 1) };
  for (let cut = text.lastIndexOf('_'); cut > 0; cut = text.lastIndexOf('_', cut - 1)) {
    const name = text.slice(0, cut);
    const found = parameters.find(
      ({ key, aliases, separator }) => separator !== ':' && (key === name || aliases.includes(name)),
    );
    if (found) return { key: found.key, value: text.slice(cut + 1) };
  }
  return undefined;
}

/** Value of a parameter; the last one wins, as in the service. */
export function partValue(written: string, key: string, parameters: readonly Parameter[]): string | undefined {
  return readParts(written, parameters).findLast((part) => part.key === key)?.value;
}

/**
 * Sets a parameter; undefined or empty removes it. Existing parts keep position and spelling, new ones are inserted in
 * the order of the listing.
 */
export function withPart(
  text: string,
  key: string,
  value: string | undefined,
  parameters: readonly Parameter[],
): string {
  const parameter = parameters.find((one) => one.key === key);
  const escaped = escapeValue(value ?? '', parameter);
  const written =
    escaped !== '' && escaped === parameter?.alone ? key : `${key}${parameter?.separator ?? '_'}${escaped}`;
  const parts = readParts(text, parameters);
  const position = parts.findLastIndex((part) => part.key === key);
  const texts = parts.flatMap((part, index) => {
    if (part.key !== key) return [part.text];
    return escaped !== '' && index === position ? [written] : [];
  });
  if (escaped === '' || position >= 0) return texts.join(',');
  const order = parameters.map((parameter) => parameter.key);
  const after = parts.findIndex((part) => order.indexOf(part.key) > order.indexOf(key));
  return texts.toSpliced(after < 0 ? texts.length : after, 0, written).join(',');
}

/** Removes separators from a value. Listed names may contain spaces. */
function escapeValue(value: string, parameter: Parameter | undefined): string {
  const { values } = (parameter?.shape ?? {}) as Partial<Shape>;
  return value.replace(values?.includes(value) ? /[,/~]/g : /[,/~\s]/g, '');
}
