import { FieldError } from '../../components/field-errors.ts';
import { textOf } from '../../components/form-text.ts';
import { formatBytes } from '../../components/format.ts';
import { spaceSettingsMessages } from '../../messages/spaces.ts';

const UNITS = ['b', 'kb', 'mb', 'gb', 'tb', 'pb'];

/** Parses `1.5 GB`; null for an empty field. @throws FieldError */
export function bytesIn(data: FormData, name: string): number | null {
  const text = textOf(data, name);
  if (text === '') return null;
  const [, number = '', unit = 'b'] = /^(\d+(?:\.\d+)?)\s*([kmgtp]?b?)$/i.exec(text.replaceAll(',', '')) ?? [];
  const power = UNITS.findIndex((one) => one === unit.toLowerCase() || one[0] === unit.toLowerCase());
  const bytes = Math.round(Number(number) * 1024 ** Math.max(0, power));
  if (number === '' || bytes < 1 || !Number.isSafeInteger(bytes))
    throw new FieldError(name, spaceSettingsMessages.limits.noSize(text));
  return bytes;
}

/** Size as text that `bytesIn` parses to the same number. */
export function bytesText(bytes: number | null): string {
  if (bytes === null) return '';
  const short = formatBytes(bytes);
  const data = new FormData();
  data.set('size', short);
  return bytesIn(data, 'size') === bytes ? short : `${bytes} B`;
}

/** Parses a whole number from 1; null for an empty field. @throws FieldError */
export function countIn(data: FormData, name: string): number | null {
  const text = textOf(data, name).replaceAll(',', '');
  if (text === '') return null;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new FieldError(name, spaceSettingsMessages.limits.noCount(text));
  return count;
}

/** Lines of a field, without empty ones. @param separator of lines */
export function linesIn(data: FormData, name: string, separator = /[\n,]/): string[] {
  return textOf(data, name)
    .split(separator)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Parses lines of `name = transformation`; null without one. @throws FieldError */
export function presetsIn(data: FormData, name: string): Record<string, string> | null {
  const presets = linesIn(data, name, /\n/).map((line): [string, string] => {
    const at = line.indexOf('=');
    const preset = [line.slice(0, at).trim(), line.slice(at + 1).trim()] as [string, string];
    if (at < 1 || preset[1] === '') throw new FieldError(name, spaceSettingsMessages.delivery.presetLine(line));
    return preset;
  });
  return presets.length === 0 ? null : Object.fromEntries(presets);
}

export const presetsText = (presets: Readonly<Record<string, string>> | null): string =>
  Object.entries(presets ?? {})
    .map(([name, transformation]) => `${name} = ${transformation}`)
    .join('\n');
