/** A colour in CIE L*a*b* (D65). */
export interface Lab {
  l: number;
  a: number;
  b: number;
}

/** The white of sRGB. */
const WHITE = [0.95047, 1, 1.08883] as const;

/** @param colour `#rrggbb`, sRGB */
export function labOf(colour: string): Lab {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => toLinear(Number.parseInt(colour.slice(at, at + 2), 16) / 255));
  const x = curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / WHITE[0]);
  const y = curve((0.2126729 * r + 0.7151522 * g + 0.072175 * b) / WHITE[1]);
  const z = curve((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / WHITE[2]);
  return { l: 116 * y - 16, a: 500 * (x - y), b: 200 * (y - z) };
}

const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

const curve = (value: number) => (value > 216 / 24389 ? Math.cbrt(value) : (24389 / 27 / 116) * value + 16 / 116);
