import type { VariantInput } from '../../storage/cache/variant-key.ts';
import type { Originals } from '../../storage/originals.ts';

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
