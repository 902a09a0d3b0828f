import type { ChosenFile } from './chosen-files.ts';

/** Name that browsers give to copied pixels. Copied files have their own. */
const NAMELESS = /^(image\.\w+)?$/i;

/** Files of the clipboard. Images without a name get one with the time. */
export function filesOfPaste(data: DataTransfer | null, now = new Date()): ChosenFile[] {
  return Array.from(data?.files ?? [], (file, at) => {
    if (!NAMELESS.test(file.name)) return { file, name: file.name };
    const name = pastedName(file.type, now, at);
    return { file: new File([file], name, { type: file.type }), name };
  });
}

/** `pasted-2026-11-28-101500.png`, in local time. @param at position among the pasted files */
export function pastedName(type: string, now: Date, at = 0): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-');
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('');
  const extension = type.replace(/^image\//, '').replace(/\+.*$/, '') || 'png';
  return `pasted-${day}-${time}${at === 0 ? '' : `-${at + 1}`}.${extension === 'jpeg' ? 'jpg' : extension}`;
}
