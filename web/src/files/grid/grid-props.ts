import type { RefObject } from 'react';
import type { Clip } from '../actions/clipboard.ts';
import type { FilesAddress } from '../address.ts';
import type { Selection } from '../selection.ts';
import type { Files } from '../use-listing.ts';
import type { GridItemActions } from './grid-item.tsx';
import type { Command } from './keys/keys.ts';
import type { View } from './use-layout.ts';

/** Props shared by the grid and its rows. */
export interface GridProps extends GridItemActions {
  label: string;
  files: Files;
  view: View;
  /** Order of the list, which its column headers change. */
  sorting: Pick<FilesAddress, 'order' | 'change'>;
  selection: Selection;
  /** Path of the file shown in the details panel. */
  opened: string | undefined;
  showsFolder: boolean;
  /** True for private folders, and folders in them. */
  isPrivate(path: string): boolean;
  /** Index of the item in the tab order. */
  focused: number;
  onFocus(index: number): void;
  /** Called with the index of the item that a key moves the focus to. */
  onMove(index: number): void;
  /** Index of the item that receives the focus once it is rendered. */
  pendingFocus: RefObject<number | undefined>;
  /** Copied or cut items. */
  clip: Clip | undefined;
  onCommand(command: Command): void;
  onMenu(x: number, y: number, index: number): void;
  /** Called when the button is pressed on an item, which may begin a drag. */
  onGrab(index: number, event: PointerEvent): void;
}
