import { integer } from '../../../transformation/syntax.ts';
import type { HeldImage } from '../../step.ts';
import { defineEffect } from './define.ts';

/** Beginning, as a fraction of the way from the middle to a corner. */
const BEGIN = 0.3;

/** Distances in the table of brightness. */
const DISTANCES = 4096;

export const vignette = defineEffect({
  name: 'vignette',
  key: 'e_vignette',
  syntax: integer(1, 100),
  alone: 50,
  reference: {
    summary: 'Darkens towards the corners. The value is the darkening of the corners in percent (default 50).',
    examples: ['w_300,e_vignette', 'w_300,e_vignette:90'],
  },
  contentRate: () => 14,
  effect: (value) => (value ? { redraw: (image) => darkened(image, value / 100) } : undefined),
});

/** Returns the remaining brightness of a pixel. @param distance from the middle, 1 in the corners */
export function brightnessAt(distance: number, strength: number): number {
  const way = Math.min(1, Math.max(0, (distance - BEGIN) / (1 - BEGIN)));
  return 1 - strength * way * way * (3 - 2 * way);
}

function darkened(image: HeldImage, strength: number): HeldImage {
  const { data, width, height, channels } = image;
  const colours = channels - ((channels + 1) % 2);
  const bySquare = Float32Array.from({ length: DISTANCES + 1 }, (_, index) =>
    brightnessAt(Math.sqrt(index / DISTANCES), strength),
  );
  for (let y = 0, at = 0; y < height; y++) {
    const down = ((2 * y + 1) / height - 1) ** 2;
    for (let x = 0; x < width; x++, at += channels) {
      const across = ((2 * x + 1) / width - 1) ** 2;
      const bright = bySquare[(((across + down) / 2) * DISTANCES) | 0] as number;
      for (let channel = at; channel < at + colours; channel++)
        data[channel] = (data[channel] as number) * bright + 0.5;
    }
  }
  return image;
}
