import { useEffect, useState } from 'react';
import { useRootName } from '../../api/access.ts';
import { nameOf } from '../../api/paths.ts';
import { draggingMessages } from '../../messages/dragging.ts';
import { sizeOf } from '../selection.ts';
import { Drag, type DragState } from './drag.ts';
import type { Grab } from './grab.ts';
import './dragging.css';

/** Follows the pointer with the number of dragged items, and says what a drop would do. */
export function DragLayer({ grab, onEnd }: { grab: Grab; onEnd(): void }) {
  const [state, setState] = useState<DragState>();
  const root = useRootName();
  useEffect(() => {
    const drag = new Drag(grab, setState, onEnd);
    return () => drag.stop();
  }, [grab, onEnd]);
  if (state === undefined) return null;
  const { x, y, isCopy, folder, refusal } = state;
  return (
    <div
      className={`drag-badge${refusal ? ' is-refused' : ''}`}
      style={{ transform: `translate(${x + 14}px, ${y + 10}px)` }}
    >
      <strong className="number">{sizeOf(grab.target)}</strong>
      <span>{textOf(isCopy, folder === undefined ? undefined : nameOf(folder) || root, refusal)}</span>
    </div>
  );
}

function textOf(isCopy: boolean, name: string | undefined, refusal: DragState['refusal']): string {
  if (refusal !== undefined) return draggingMessages.refused[refusal];
  if (name === undefined) return isCopy ? draggingMessages.copy : draggingMessages.move;
  return isCopy ? draggingMessages.copyTo(name) : draggingMessages.moveTo(name);
}
