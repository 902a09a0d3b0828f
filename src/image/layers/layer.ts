import type { StoragePath } from '../../path.ts';
import type { OptionsOf } from '../../transformation/param.ts';
import type { imageLayer, textLayer } from './parameters.ts';

/** An image that is laid over another. */
export interface ImageLayer {
  kind: 'picture';
  path: StoragePath;
  options: OptionsOf<typeof imageLayer>;
}

/** A text that is laid over an image. */
export interface TextLayer {
  kind: 'text';
  text: string;
  options: OptionsOf<typeof textLayer>;
}

export type Layer = ImageLayer | TextLayer;

/** Layers of a transformation, next to its parameters. */
export type Layered = {
  /** From the lowest to the highest. */
  layers?: readonly Layer[];
};

/** The name of a layer's file among the inputs of a render. */
export function layerInput(path: StoragePath): string {
  return `layer ${path}`;
}
