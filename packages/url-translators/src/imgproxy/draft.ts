import { type Approximation, refuse } from '../refusal.ts';
import type { Option } from './address.ts';

/** Options of a URL so far; of repeated ones the last applies. */
export interface Draft {
  width: number;
  height: number;
  mode: string;
  isEnlarged: boolean;
  isExtended: boolean;
  /** Our value for the position of a crop. */
  gravity: string;
  /** The same as written. */
  gravityValues: readonly string[];
  /** Our value for the position of an extended image. */
  place: string;
  crop: { width: number; height: number; gravity: readonly string[]; text: string } | undefined;
  /** Top, right, bottom, left. */
  padding: readonly [number, number, number, number] | undefined;
  /** Further parameters as parts of a segment, by key and effect. */
  parts: Map<string, string>;
  rotation: number;
  mirrored: '' | 'hflip' | 'vflip';
  format: string | undefined;
  formatQuality: ReadonlyMap<string, number>;
  preset: string | undefined;
  isRaw: boolean;
  /** Extensions of files that stay unchanged. */
  skipped: readonly string[];
  /** Unix seconds. */
  expires: number | undefined;
  second: number;
  ignored: string[];
  approximate: Approximation[];
}

export function emptyDraft(): Draft {
  return {
    width: 0,
    height: 0,
    mode: 'fit',
    isEnlarged: false,
    isExtended: false,
    crop: undefined,
    gravity: 'center',
    gravityValues: [],
    place: 'center',
    padding: undefined,
    parts: new Map(),
    rotation: 0,
    mirrored: '',
    format: undefined,
    formatQuality: new Map(),
    preset: undefined,
    isRaw: false,
    skipped: [],
    expires: undefined,
    second: 1,
    ignored: [],
    approximate: [],
  };
}

/** Returns a number of an option; undefined if omitted. @throws Refused */
export function numberAt({ values, text }: Option, at: number, min = 0, max = 1e9): number | undefined {
  const value = values[at] ?? '';
  if (value === '') return undefined;
  const number = /^-?\d{1,10}(\.\d{1,10})?$/.test(value) ? Number(value) : Number.NaN;
  return number >= min && number <= max ? number : refuse(text, `expected a number from ${min} to ${max}`);
}

export function wholeAt(option: Option, at: number, max = 1e9): number | undefined {
  const number = numberAt(option, at, 0, max);
  return number === undefined || Number.isInteger(number) ? number : refuse(option.text, 'expected a whole number');
}

/** Everything but a true value is false. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 't' || value === 'true';
}

/** Returns hexadecimal digits; undefined if omitted. @throws Refused */
export function colourAt({ values, text }: Option, at: number): string | undefined {
  const value = values[at] ?? '';
  if (value === '') return undefined;
  return /^([0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)
    ? value.toLowerCase()
    : refuse(text, 'expected a colour in hexadecimal digits');
}
