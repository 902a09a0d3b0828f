/** Blends one channel: backdrop and source, 0..1, give 0..1. */
export type BlendChannel = (backdrop: number, source: number) => number;

// Separable modes that Photoshop and the W3C's Compositing and Blending have in common.

export const multiply: BlendChannel = (b, s) => b * s;
export const screen: BlendChannel = (b, s) => b + s - b * s;
export const hardLight: BlendChannel = (b, s) => (s <= 0.5 ? multiply(b, 2 * s) : screen(b, 2 * s - 1));
export const overlay: BlendChannel = (b, s) => hardLight(s, b);
export const difference: BlendChannel = (b, s) => Math.abs(b - s);
