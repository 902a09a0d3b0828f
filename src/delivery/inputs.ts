import { notFound } from '../errors.ts';
import { type Layered, layerInput } from '../image/layers/layer.ts';
import { EXTRA_MEDIA_TYPES, mediaTypeOf } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { VariantInput, VariantInputs } from '../storage/cache/variant-key.ts';
import type { Originals } from '../storage/originals.ts';
import type { FetchMissing } from './find-original.ts';

/** What the layers of a picture are made of. */
export interface LayerInputs {
  files: readonly VariantInput[];
  /** What all fonts are known by; undefined without a text and without a drawing, which may have some. */
  fonts: string | undefined;
}

export const NO_LAYERS: LayerInputs = { files: [], fonts: undefined };

/** Whether a file may have texts that are set in our fonts. */
export const mayHaveTexts = (path: StoragePath) => mediaTypeOf(path) === EXTRA_MEDIA_TYPES.svg;

/** What a picture or a video is made of: a version of an original, and what lies over it. */
interface LayeredInputs extends VariantInput {
  layers: LayerInputs;
}

/**
 * Finds the present versions of the files that lie over an original.
 * @throws HttpProblem 404 where one is not there
 */
export type FindInputs = (original: VariantInput, layered: Layered) => Promise<LayeredInputs>;

/** @param fonts what all fonts are known by */
export function createFindInputs(originals: Originals, fonts: string, fetchMissing?: FetchMissing): FindInputs {
  const find = async (path: StoragePath): Promise<VariantInput> => {
    const stat = (await originals.stat(path)) ?? (await fetchMissing?.(path));
    if (!stat) throw notFound(`There is no file "${path}" for a layer.`, 'file_not_found');
    return { path, version: stat.etag };
  };
  return async ({ path, version }, { layers = [] }) => {
    if (layers.length === 0 && !mayHaveTexts(path)) return { path, version, layers: NO_LAYERS };
    const paths = new Set(layers.flatMap((layer) => (layer.kind === 'picture' ? [layer.path] : [])));
    const hasTexts = layers.some(({ kind }) => kind === 'text') || [path, ...paths].some(mayHaveTexts);
    const files = await Promise.all([...paths].map(find));
    return { path, version, layers: { files, fonts: hasTexts ? fonts : undefined } };
  };
}

/** The files that a picture with layers is made of. */
export function inputsWith(original: VariantInput, { files }: LayerInputs): VariantInputs {
  return { original, ...Object.fromEntries(files.map((file) => [layerInput(file.path), file])) };
}

type Inputs = Readonly<Record<string, VariantInput>>;

/** The paths of local files, by the names of the inputs. */
type LocalFiles<Named extends Inputs> = { [Name in keyof Named]: string };

/** Runs work while every input lies in a local file. @throws BlobNotFound for one that is not there in its version */
export async function withLocalFiles<Named extends Inputs, T>(
  { store }: Originals,
  inputs: Named,
  signal: AbortSignal,
  work: (files: LocalFiles<Named>) => Promise<T>,
): Promise<T> {
  const withOthers = ([first, ...later]: [string, VariantInput][], files: Record<string, string>): Promise<T> => {
    if (!first) return work(files as LocalFiles<Named>);
    const [name, { path, version }] = first;
    return store.withLocalFile(path, (file) => withOthers(later, { ...files, [name]: file }), signal, version);
  };
  return withOthers(Object.entries(inputs), {});
}

/** Whether every input is still what it was when it was asked for. */
export async function areCurrent(originals: Originals, inputs: Inputs): Promise<boolean> {
  const checked = Object.values(inputs).map(({ path, version }) => originals.isCurrent(path, version));
  return (await Promise.all(checked)).every(Boolean);
}
