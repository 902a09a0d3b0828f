/** A file with the folders that it was chosen with. */
export interface ChosenFile {
  file: File;
  /** `photo.jpg`, or `holidays/2026/photo.jpg`. */
  name: string;
}

/** What a file input gives. */
export function filesOfInput(list: FileList | null): ChosenFile[] {
  return Array.from(list ?? [], (file) => ({ file, name: file.webkitRelativePath || file.name }));
}

/** What was dropped, with all that is in folders. The entries have to be taken before anything is waited for. */
export async function filesOfDrop(data: DataTransfer): Promise<ChosenFile[]> {
  const items = Array.from(data.items).filter(({ kind }) => kind === 'file');
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? null);
  const files = items.map((item) => item.getAsFile());
  const found = await Promise.all(
    entries.map((entry, at) => {
      const file = files[at];
      if (entry?.isDirectory) return filesOfEntry(entry, '');
      return file ? [{ file, name: file.name }] : [];
    }),
  );
  return found.flat().filter(({ name }) => !isHidden(name));
}

/** `.DS_Store` and the like come with folders, and nobody means them. */
const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.'));

async function filesOfEntry(entry: FileSystemEntry, folder: string): Promise<ChosenFile[]> {
  const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, name }];
  }
  const found: ChosenFile[] = [];
  for (const inside of await readAll((entry as FileSystemDirectoryEntry).createReader()))
    found.push(...(await filesOfEntry(inside, name)));
  return found;
}

/** Browsers give a hundred at a time. */
async function readAll(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
