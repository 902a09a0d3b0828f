/**
 * A colour of CIE 1976 L*a*b*, white D65: `l` 0 to 100, `a` and `b` about -110 to 110. A distance of 2 is just visible.
 */
export interface Lab {
  l: number;
  a: number;
  b: number;
}

/** Converts sRGB to Lab (CIE 15:2004, 8.2.1; IEC 61966-2-1). @param red, green, blue 0 to 255 */
export function labOf(red: number, green: number, blue: number): Lab {
  const r = light(red);
  const g = light(green);
  const b = light(blue);
  const x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return { l: 116 * y - 16, a: 500 * (x - y), b: 200 * (y - z) };
}

/** Converts a hexadecimal sRGB colour to Lab. @param colour `#rrggbb` */
export function labOfHex(colour: string): Lab {
  const value = Number.parseInt(colour.slice(1), 16);
  return labOf(value >> 16, (value >> 8) & 255, value & 255);
}

/** Visual difference of two colours (CIE76). */
export function distance(a: Lab, b: Lab): number {
  // Math.hypot takes ten times as long.
  return Math.sqrt((a.l - b.l) ** 2 + (a.a - b.a) ** 2 + (a.b - b.b) ** 2);
}

function light(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function curve(share: number): number {
  return share > (6 / 29) ** 3 ? Math.cbrt(share) : share / (3 * (6 / 29) ** 2) + 4 / 29;
}
