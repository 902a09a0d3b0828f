import type { RenderInputs } from '../../image/pipeline.ts';
import type { VariantInputs } from '../../storage/cache/variant-key.ts';
import type { Originals } from '../../storage/originals.ts';

/** Runs work while every input lies in a local file. */
export async function withLocalInputs<T>(
  { store }: Originals,
  { original, ...others }: VariantInputs,
  signal: AbortSignal,
  work: (files: RenderInputs) => Promise<T>,
): Promise<T> {
  const withOthers = (names: readonly string[], files: RenderInputs): Promise<T> => {
    const [name, ...later] = names;
    const input = name === undefined ? undefined : others[name];
    if (name === undefined || !input) return work(files);
    const use = (file: string) => withOthers(later, { ...files, [name]: file });
    return store.withLocalFile(input.path, use, signal, input.version);
  };
  const use = (file: string) => withOthers(Object.keys(others), { original: file });
  return store.withLocalFile(original.path, use, signal, original.version);
}

/** Whether every input is still what it was when it was asked for. */
export async function areCurrent(originals: Originals, inputs: VariantInputs): Promise<boolean> {
  const checked = Object.values(inputs).map(({ path, version }) => originals.isCurrent(path, version));
  return (await Promise.all(checked)).every(Boolean);
}
