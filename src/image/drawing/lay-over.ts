import type { Colour } from '../../transformation/syntax.ts';
import type { HeldPicture } from '../step.ts';

/** Lays a colour over a pixel. @param share how much of the pixel it covers */
export function layOver(
  { data, width, channels }: HeldPicture,
  x: number,
  y: number,
  { red, green, blue, alpha }: Colour,
  share: number,
): void {
  const at = (y * width + x) * channels;
  const hasAlpha = channels === 4;
  const over = (share * alpha) / 255;
  const under = ((hasAlpha ? (data[at + 3] as number) : 255) / 255) * (1 - over);
  const both = over + under;
  if (both === 0) return;
  const mix = (painted: number, before: number) => Math.round((painted * over + before * under) / both);
  data[at] = mix(red, data[at] as number);
  data[at + 1] = mix(green, data[at + 1] as number);
  data[at + 2] = mix(blue, data[at + 2] as number);
  if (hasAlpha) data[at + 3] = Math.round(both * 255);
}
