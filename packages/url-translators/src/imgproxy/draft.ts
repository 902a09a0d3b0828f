import { type Approximation, refuse } from '../refusal.ts';
import type { Option } from './address.ts';

/** What the options of a URL have said so far; of repeated ones the last counts. */
export interface Draft {
  width: number;
  height: number;
  mode: string;
  isEnlarged: boolean;
  isExtended: boolean;
  /** Our word for where a cut lies. */
  gravity: string;
  /** The same as it was written. */
  gravityValues: readonly string[];
  /** Our word for where an extended picture lies. */
  place: string;
  crop: { width: number; height: number; gravity: readonly string[]; text: string } | undefined;
  /** Above, right, below, left. */
  padding: readonly [number, number, number, number] | undefined;
  /** Further parameters, each as a part of a segment, by its key and effect. */
  parts: Map<string, string>;
  rotation: number;
  mirrored: '' | 'hflip' | 'vflip';
  format: string | undefined;
  formatQuality: ReadonlyMap<string, number>;
  preset: string | undefined;
  isRaw: boolean;
  /** Extensions of files that are not changed. */
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

/** A number of an option; undefined where it is left out. @throws Refused */
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

/** Whatever is not true is false. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 't' || value === 'true';
}

/** Hexadecimal digits; undefined where it is left out. @throws Refused */
export function colourAt({ values, text }: Option, at: number): string | undefined {
  const value = values[at] ?? '';
  if (value === '') return undefined;
  return /^([0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)
    ? value.toLowerCase()
    : refuse(text, 'expected a colour in hexadecimal digits');
}
