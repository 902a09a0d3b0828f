import { notFound } from '../errors.ts';
import { type Layered, layerInput } from '../image/layers/layer.ts';
import { EXTRA_MEDIA_TYPES, mediaTypeOf } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { VariantInput, VariantInputs } from '../storage/cache/variant-key.ts';
import type { Originals } from '../storage/originals.ts';
import { type AdmitFile, admitEveryFile } from './file-access.ts';
import { type FetchMissing, type FollowRedirect, followNone, isAdmitted } from './find-original.ts';

/** Files and fonts of layers. */
export interface LayerInputs {
  files: readonly VariantInput[];
  /** Identifies all fonts; undefined without a text and without a drawing that may contain some. */
  fonts: string | undefined;
}

export const NO_LAYERS: LayerInputs = { files: [], fonts: undefined };

/** True if a file may contain texts set in the service's fonts. */
export const mayHaveTexts = (path: StoragePath) => mediaTypeOf(path) === EXTRA_MEDIA_TYPES.svg;

/** Inputs of an image or a video: a version of an original, and its layers. */
interface LayeredInputs extends VariantInput {
  layers: LayerInputs;
}

/**
 * Finds the current versions of the layer files of an original.
 * @param admit admits the request to each layer before it is looked up
 * @throws HttpProblem 404 if one is missing
 */
export type FindInputs = (original: VariantInput, layered: Layered, admit?: AdmitFile) => Promise<LayeredInputs>;

export interface FindInputsOptions {
  fetchMissing?: FetchMissing | undefined;
  followRedirect?: FollowRedirect;
  /** Outer path of the space's folder; undefined for the library. */
  root?: StoragePath | undefined;
}

/** @param fonts identifies all fonts */
export function createFindInputs(
  originals: Originals,
  fonts: string,
  { fetchMissing, followRedirect = followNone, root }: FindInputsOptions = {},
): FindInputs {
  const look = async (path: StoragePath): Promise<VariantInput | undefined> => {
    const stat = (await originals.stat(path)) ?? (await fetchMissing?.(path));
    return stat && { path, version: stat.etag, root };
  };
  const findMoved = async (path: StoragePath, admit: AdmitFile): Promise<VariantInput | undefined> => {
    const to = (await followRedirect(path))?.to;
    if (to === undefined || mediaTypeOf(to).kind !== mediaTypeOf(path).kind) return undefined;
    const found = (await isAdmitted(admit, to, 'variant')) ? await look(to) : undefined;
    return found && { ...found, redirectedFrom: path };
  };
  const find = async (path: StoragePath, admit: AdmitFile): Promise<VariantInput> => {
    await admit(path, 'variant');
    const found = (await look(path)) ?? (await findMoved(path, admit));
    if (!found) throw notFound(`There is no file "${path}" for a layer.`, 'file_not_found');
    return found;
  };
  return async ({ path, version }, { layers = [] }, admit = admitEveryFile) => {
    if (layers.length === 0 && !mayHaveTexts(path)) return { path, version, root, layers: NO_LAYERS };
    const paths = new Set(layers.flatMap((layer) => (layer.kind === 'picture' ? [layer.path] : [])));
    const hasTexts = layers.some(({ kind }) => kind === 'text') || [path, ...paths].some(mayHaveTexts);
    const files = await Promise.all([...paths].map((layer) => find(layer, admit)));
    return { path, version, root, layers: { files, fonts: hasTexts ? fonts : undefined } };
  };
}

/** Returns the input files of an image with layers. */
export function inputsWith(original: VariantInput, { files }: LayerInputs): VariantInputs {
  return { original, ...Object.fromEntries(files.map((file) => [layerInput(file.redirectedFrom ?? file.path), file])) };
}

type Inputs = Readonly<Record<string, VariantInput>>;

/** Paths of local files by input name. */
type LocalFiles<Named extends Inputs> = { [Name in keyof Named]: string };

/** Calls `work` while every input is in a local file. @throws BlobNotFound for one that is missing in its version */
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

/** True if every input still has the requested version. */
export async function areCurrent(originals: Originals, inputs: Inputs): Promise<boolean> {
  const checked = Object.values(inputs).map(({ path, version }) => originals.isCurrent(path, version));
  return (await Promise.all(checked)).every(Boolean);
}
