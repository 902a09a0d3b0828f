import { notFound } from '../../errors.ts';
import { type Layer, layerInput } from '../../image/layers/layer.ts';
import { EXTRA_MEDIA_TYPES, mediaTypeOf } from '../../media.ts';
import type { StoragePath } from '../../path.ts';
import type { VariantInput, VariantInputs } from '../../storage/cache/variant-key.ts';
import type { Originals } from '../../storage/originals.ts';

/** What the layers of a picture are made of. */
export interface LayerInputs {
  files: readonly VariantInput[];
  /** What all fonts are known by; undefined without a text and without a drawing, which may have some. */
  fonts: string | undefined;
}

export const NO_LAYERS: LayerInputs = { files: [], fonts: undefined };

/** Whether a file may have texts that are set in our fonts. */
export const mayHaveTexts = (path: StoragePath) => mediaTypeOf(path) === EXTRA_MEDIA_TYPES.svg;

/**
 * Finds the present versions of the files that layers name.
 * @param original what they lie over
 * @throws HttpProblem 404 where one is not there
 */
export type FindLayers = (layers: readonly Layer[] | undefined, original: StoragePath) => Promise<LayerInputs>;

/** @param fonts what all fonts are known by */
export function createFindLayers(originals: Originals, fonts: string): FindLayers {
  const find = async (path: StoragePath): Promise<VariantInput> => {
    const stat = await originals.stat(path);
    if (!stat) throw notFound(`There is no file "${path}" for a layer.`, 'file_not_found');
    return { path, version: stat.etag };
  };
  return async (layers = [], original) => {
    if (layers.length === 0 && !mayHaveTexts(original)) return NO_LAYERS;
    const paths = new Set(layers.flatMap((layer) => (layer.kind === 'picture' ? [layer.path] : [])));
    const hasTexts = layers.some(({ kind }) => kind === 'text') || [original, ...paths].some(mayHaveTexts);
    return { files: await Promise.all([...paths].map(find)), fonts: hasTexts ? fonts : undefined };
  };
}

/** The files that a picture with layers is made of. */
export function inputsWith(original: VariantInput, { files }: LayerInputs): VariantInputs {
  return { original, ...Object.fromEntries(files.map((file) => [layerInput(file.path), file])) };
}
