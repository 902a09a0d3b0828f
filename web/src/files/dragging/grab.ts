import type { Target } from '../../api/targets/targets.ts';
import { listenable } from '../../components/listenable.ts';

/** Items under the pressed mouse button, which a drag would move. */
export interface Grab {
  target: Target;
  /** Position and button of the pointer. */
  begun: PointerEvent;
  /** Listing that the items are dragged from: a drop on its ground is none. */
  home: Element | null;
  /** True if an item belongs to the target. */
  has(path: string): boolean;
  /** Opens a folder over which the pointer rests. */
  onOpen(folder: string): void;
  /** Called when the items have been dropped. */
  onDropped(isCopy: boolean): void;
}

let grabbed: Grab | undefined;
const listeners = listenable();

/** Begins to follow the pointer; undefined ends it. A drag survives the change of the folder. */
export function grab(next: Grab | undefined): void {
  grabbed = next;
  listeners.notify();
}

export function useGrabbed(): Grab | undefined {
  return listeners.use(() => grabbed);
}
