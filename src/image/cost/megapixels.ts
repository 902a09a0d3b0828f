import type { Size } from '../layout/geometry.ts';

export function megapixelsOf({ width, height }: Size): number {
  return (width * height) / 1e6;
}
