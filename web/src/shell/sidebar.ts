import { storedChoice } from '../components/stored-choice.ts';
import { NARROW, PHONE, useMedia } from '../components/use-media.ts';

const choice = storedChoice('darkroom-sidebar', ['names', 'icons']);

export const setCollapsed = (isCollapsed: boolean): void => choice.set(isCollapsed ? 'icons' : 'names');

export interface Sidebar {
  isCollapsed: boolean;
  /** False where there is room for icons only. */
  canChoose: boolean;
}

/** The sidebar shows icons on tablets, and by choice on wider screens. On phones it is a bar with names. */
export function useSidebar(): Sidebar {
  const isNarrow = useMedia(NARROW);
  const isPhone = useMedia(PHONE);
  const isCollapsed = choice.use() === 'icons';
  return { isCollapsed: !isPhone && (isNarrow || isCollapsed), canChoose: !isNarrow };
}
