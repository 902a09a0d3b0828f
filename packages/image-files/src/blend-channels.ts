/** Blends one channel: backdrop and source, 0..1, give 0..1. */
export type BlendChannel = (backdrop: number, source: number) => number;

// Separable modes shared by Photoshop and W3C Compositing and Blending.

export const multiply: BlendChannel = (b, s) => b * s;
export const screen: BlendChannel = (b, s) => b + s - b * s;
export const hardLight: BlendChannel = (b, s) => (s <= 0.5 ? multiply(b, 2 * s) : screen(b, 2 * s - 1));
export const overlay: BlendChannel = (b, s) => hardLight(s, b);
export const difference: BlendChannel = (b, s) => Math.abs(b - s);
