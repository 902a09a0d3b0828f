import { baseName, parentOf, type StoragePath, splitWords } from '../path.ts';

/** Returns a name for searches: without accents, in lower case. `folded` of the rows is written with it. */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/\p{Mn}/gu, '')
    .normalize('NFC');
}

/** Returns the words of a search, folded; without those that are part of another one, which are found with it. */
export function searchedWords(search: string): string[] {
  const words = [...new Set(splitWords(search).map(foldName))].filter((word) => word !== '');
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
}

/**
 * True for a file or folder with all words of a search in its path below `scope`. A folder must have one of them in its
 * own name: those below a folder that was found are found by opening it. An empty search finds everything, one without a
 * word nothing.
 */
export function isFoundPath(search: string, path: StoragePath, scope: StoragePath, isFolder: boolean): boolean {
  if (search === '') return true;
  const words = searchedWords(search);
  const name = foldName(baseName(path));
  const folders: string[] = [];
  for (let above = parentOf(path); above.length > scope.length; above = parentOf(above))
    folders.push(foldName(baseName(above)));
  const own = words.filter((word) => name.includes(word));
  if (words.length === 0 || (isFolder && own.length === 0)) return false;
  return words.every((word) => own.includes(word) || folders.some((folder) => folder.includes(word)));
}
