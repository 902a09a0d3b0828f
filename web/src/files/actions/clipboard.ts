import type { Target } from '../../api/targets/targets.ts';
import { writeText } from '../../components/copy.ts';
import { listenable } from '../../components/listenable.ts';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { sizeOf } from '../selection.ts';
import { urlsOf } from './copy-urls.ts';
import { filesOf } from './duplicate.ts';
import { moveTo, work } from './work.ts';

/** Copied or cut items. */
export interface Clip {
  action: 'copy' | 'cut';
  /** Source folder; undefined for search results. */
  folder: string | undefined;
  target: Target;
  /** True if it contains an item of that folder. */
  has(path: string, index: number): boolean;
}

let clip: Clip | undefined;
/** True if the clipboard of the system took the URLs: an image that is in it later was copied later. */
let isShared = false;
const listeners = listenable();

function set(next: Clip | undefined): void {
  clip = next;
  listeners.notify();
}

/** Current clipboard; it survives navigation. */
export function useClip(): Clip | undefined {
  return listeners.use(() => clip);
}

export const clearClip = () => set(undefined);

/** Copied items are also in the clipboard of the system, as URLs. */
export function hold(next: Clip): void {
  set(next);
  isShared = false;
  void writeText(textOf(next.target)).then((isDone) => {
    isShared = isDone;
  });
  toast(messages.files.held[next.action](sizeOf(next.target)));
}

/** URLs of files; of folders their paths. */
function textOf(target: Target): string {
  if ('scope' in target) return target.scope.folder;
  const paths = target.items.map(({ path }) => path);
  return filesOf(target).length > 0 ? urlsOf(paths) : paths.join('\n');
}

/** True if the items may have been copied after what is in the clipboard of the system. */
export const hasNewerClip = (): boolean => clip !== undefined && !isShared;

/** Pastes into a folder. Cut items are moved and leave the clipboard. */
export function paste(folder: string): void {
  if (clip === undefined) {
    toast(messages.files.nothingHeld);
    return;
  }
  const { action, target } = clip;
  if (action === 'copy') {
    void work({ action: 'copy', destination: folder }, target);
  } else if (folder === clip.folder) {
    toast(messages.files.isHere);
  } else {
    clearClip();
    void moveTo(folder, target);
  }
}
