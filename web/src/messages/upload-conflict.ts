import { plural } from './plural.ts';

/** `logo (1).png` */
function numbered(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)} (1)${name.slice(dot)}` : `${name} (1)`;
}

export const uploadConflictMessages = {
  title: (name: string) => `${name} already exists`,
  titleOfMany: (count: number) => plural(count, 'file already exists', 'files already exist'),
  text: (name: string | undefined, canReplace: boolean) => {
    const replacing = 'Replacing keeps the URL, which then shows the new file, and keeps the old one as a version. ';
    const both = name === undefined ? 'the new files get a number' : `the new file gets a number: ${numbered(name)}`;
    return `${canReplace ? replacing : ''}If you keep both, ${both}.`;
  },
  existing: 'In the library',
  added: 'New file',
  list: 'Files that already exist',
  sizes: (existing: string, added: string) => `${existing} → ${added}`,
  keepBoth: 'Keep both',
  replace: 'Replace',
  skip: 'Skip',
  singly: 'Choose for each file',
  position: (position: number, count: number) => `File ${position} of ${count}`,
  allAlike: (count: number) => `Choose once for the remaining ${count} files`,
};
