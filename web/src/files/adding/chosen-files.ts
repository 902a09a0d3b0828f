import { join } from '../../api/paths.ts';
import type { Upload } from '../../api/uploads/upload.ts';

/** A selected file with its folder structure. */
export interface ChosenFile {
  /** Refused upload that is sent again under another name. */
  refused?: Upload;
  file: File;
  /** `photo.jpg`, or `holidays/2026/photo.jpg`. */
  name: string;
}

/** Files of a file input. */
export function filesOfInput(list: FileList | null): ChosenFile[] {
  const files = Array.from(list ?? [], (file) => ({ file, name: file.webkitRelativePath || file.name }));
  return files.filter(({ file, name }) => file.webkitRelativePath === '' || !isHidden(name));
}

/** Dropped files, with the content of folders. Entries must be read before the first await. */
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

/** Hidden files such as `.DS_Store` come along with folders unintentionally. */
const isHidden = (name: string) => name.split('/').some((part) => part.startsWith('.'));

async function filesOfEntry(entry: FileSystemEntry, folder: string): Promise<ChosenFile[]> {
  const name = join(folder, entry.name);
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, name }];
  }
  const found: ChosenFile[] = [];
  for (const inside of await readAll((entry as FileSystemDirectoryEntry).createReader()))
    found.push(...(await filesOfEntry(inside, name)));
  return found;
}

/** Browsers return at most 100 entries per call. */
async function readAll(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
