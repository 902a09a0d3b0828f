import type { Syntax, Unit } from './param.ts';

/** A whole number of pixels, from 1 to the configured output side. */
export function pixels(): Syntax<number> {
  return {
    parse: (text, rules) => readInteger(text, 1, rules.outputSide, ' pixels'),
    format: String,
    forms: 'a whole number of pixels from 1 to `MAX_OUTPUT_SIDE`',
    shape: ({ outputSide }) => ({ kind: 'integer', min: 1, max: outputSide, unit: 'pixels' }),
  };
}

/** A whole number without sign. */
export function integer(min: number, max: number): Syntax<number> {
  return {
    parse: (text) => readInteger(text, min, max, ''),
    format: String,
    forms: `a whole number from ${min} to ${max}`,
    shape: () => ({ kind: 'integer', min, max }),
  };
}

/** A whole number with or without a sign. */
export function signed(min: number, max: number): Syntax<number> {
  return {
    parse(text) {
      if (!/^-?\d{1,9}$/.test(text)) return undefined;
      // Minus zero becomes zero.
      const value = Number(text) + 0;
      return value >= min && value <= max ? { value } : { expected: `a whole number from ${min} to ${max}` };
    },
    format: String,
    forms: `a whole number from ${min} to ${max}`,
    shape: () => ({ kind: 'integer', min, max }),
  };
}

/** A number without sign. More decimals than `places` are rounded. */
export function decimal(min: number, max: number, places: number, unit?: Unit): Syntax<number> {
  const forms = `a number from ${min} to ${max}, decimals allowed`;
  return {
    parse(text) {
      if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) return undefined;
      const value = Number(text);
      return value >= min && value <= max ? { value: Number(value.toFixed(places)) } : { expected: forms };
    },
    format: String,
    forms,
    shape: () => ({ kind: 'decimal', min, max, ...(unit && { unit }) }),
  };
}

const MAX_SECONDS = 86_400;

/** A time in seconds; decimals are allowed. */
export function seconds(): Syntax<number> {
  return {
    parse(text) {
      if (!/^\d+(\.\d+)?$/.test(text)) return undefined;
      const value = Number(text);
      return value <= MAX_SECONDS
        ? { value: Math.round(value * 1000) / 1000 }
        : { expected: `seconds from 0 to ${MAX_SECONDS}` };
    },
    format: String,
    forms: `seconds from 0 to ${MAX_SECONDS}, decimals allowed`,
    shape: () => ({ kind: 'decimal', min: 0, max: MAX_SECONDS, unit: 'seconds' }),
  };
}

const AUTO = { auto: true } as const;

/** One of several keywords, some with aliases. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  spellings: Readonly<Record<string, NoInfer<Word>>> = {},
): Syntax<Word> {
  const byText = new Map<string, Word>([...words.map((word) => [word, word] as const), ...Object.entries(spellings)]);
  const others = Object.entries(spellings).map(([text, word]) => `\`${text}\` = \`${word}\``);
  return {
    parse(text) {
      const value = byText.get(text);
      return value === undefined ? undefined : { value };
    },
    format: (value) => value,
    forms: [words.map((word) => `\`${word}\``).join(', '), ...others].join('; '),
    shape: () => ({ kind: 'choice', values: words.filter((word) => word !== 'auto'), ...(byText.has('auto') && AUTO) }),
  };
}

/** `true` or `false`. */
export function flag(): Syntax<boolean> {
  const words = oneOf(['true', 'false'], { 1: 'true', 0: 'false' });
  return {
    parse(text, rules) {
      const reading = words.parse(text, rules);
      return reading && 'value' in reading ? { value: reading.value === 'true' } : undefined;
    },
    format: String,
    forms: words.forms,
    shape: () => ({ kind: 'boolean' }),
  };
}

/** `auto`, or a value of another syntax. */
export function orAuto<T>(syntax: Syntax<T>): Syntax<T | 'auto'> {
  return {
    parse: (text, rules) => (text === 'auto' ? { value: 'auto' } : syntax.parse(text, rules)),
    format: (value) => (value === 'auto' ? 'auto' : syntax.format(value)),
    forms: `${syntax.forms}, or \`auto\``,
    shape: (rules) => ({ ...syntax.shape(rules), ...AUTO }),
  };
}

/** Blur of a copy, in pixels of the result. */
export interface Blur {
  blur: number;
}

const DEFAULT_BLUR = 20;
const blurs = decimal(1, 100, 2);

/** `blur`, optionally with its strength after a colon, or a value of another syntax. */
export function orBlur<T>(syntax: Syntax<T>): Syntax<T | Blur> {
  return {
    parse(text, rules) {
      if (text === 'blur') return { value: { blur: DEFAULT_BLUR } };
      if (!text.startsWith('blur:')) return syntax.parse(text, rules);
      const reading = blurs.parse(text.slice('blur:'.length), rules);
      return reading && 'value' in reading ? { value: { blur: reading.value } } : reading;
    },
    format(value) {
      if (!isBlur(value)) return syntax.format(value);
      return value.blur === DEFAULT_BLUR ? 'blur' : `blur:${blurs.format(value.blur)}`;
    },
    forms: `${syntax.forms}; \`blur\`, or \`blur:\` and ${blurs.forms}`,
    shape: syntax.shape,
  };
}

export function isBlur<T>(value: T | Blur): value is Blur {
  return typeof value === 'object' && value !== null && 'blur' in value;
}

/** Eight bits per channel; alpha 255 is opaque. */
export interface Colour {
  red: number;
  green: number;
  blue: number;
  alpha: number;
}

const NAMED_COLOURS: ReadonlyMap<string, string> = new Map([
  ['white', 'ffffffff'],
  ['black', '000000ff'],
  ['transparent', '00000000'],
]);

interface ColourForms {
  /** Without `rgb:`, for values separated by colons. */
  isBare?: boolean;
  /** Without alpha. */
  isOpaque?: boolean;
}

/** A colour: `rgb:` or nothing, then 3, 6 or 8 hexadecimal digits; or `white`, `black`, `transparent`. */
export function colour({ isBare = false, isOpaque = false }: ColourForms = {}): Syntax<Colour> {
  const names = [...NAMED_COLOURS.keys()].filter((name) => !isOpaque || name !== 'transparent');
  const counts = isOpaque ? '3 or 6' : '3, 6 or 8';
  const digits = isBare
    ? `${counts} hexadecimal digits`
    : `\`rgb:\` and hexadecimal digits, or the digits alone (${counts} of them)`;
  return {
    parse(text) {
      const written = isBare ? text : text.replace(/^rgb:/i, '');
      const isHex = /^[0-9a-f]{3}([0-9a-f]{3}([0-9a-f]{2})?)?$/i.test(written) && !(isOpaque && written.length === 8);
      const hex = names.includes(text) ? NAMED_COLOURS.get(text) : isHex ? written : undefined;
      if (hex === undefined) return undefined;
      const long = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex;
      const [red = 0, green = 0, blue = 0, alpha = 255] = Buffer.from(long, 'hex');
      return { value: { red, green, blue, alpha } };
    },
    format({ red, green, blue, alpha }) {
      const hex = Buffer.from([red, green, blue, alpha]).toString('hex');
      return alpha === 255 ? hex.slice(0, 6) : hex;
    },
    forms: `${digits}; ${names.map((name) => `\`${name}\``).join(', ')}`,
    shape: () => ({ kind: 'colour' }),
  };
}

function readInteger(text: string, min: number, max: number, unit: string) {
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? { value } : { expected: `a whole number from ${min} to ${max}${unit}` };
}
