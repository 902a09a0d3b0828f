import type { RefObject } from 'react';
import type { Clip } from '../actions/clipboard.ts';
import type { Selection } from '../selection.ts';
import type { Files } from '../use-listing.ts';
import type { GridItemActions } from './grid-item.tsx';
import type { Command } from './keys/keys.ts';
import type { View } from './use-layout.ts';

/** What the grid shows, and tells of. */
export interface GridProps extends GridItemActions {
  label: string;
  files: Files;
  view: View;
  selection: Selection;
  /** The path of the file whose details are shown. */
  opened: string | undefined;
  showsFolder: boolean;
  /** The item that has the focus, or would have it. */
  focused: number;
  onFocus(index: number): void;
  /** The item that gets the focus as soon as it is there. */
  pendingFocus: RefObject<number | undefined>;
  /** What is held to be put elsewhere. */
  clip: Clip | undefined;
  onCommand(command: Command): void;
  onMenu(x: number, y: number, index: number): void;
}
