import { useEffect, useRef, useState } from 'react';
import { useCan } from '../api/access.ts';
import type { TrashOrder } from '../api/trash.ts';
import { Button } from '../components/button.tsx';
import { Confirm, MANY } from '../components/dialog.tsx';
import { actionsMessages } from '../messages/actions.ts';
import { trashMessages } from '../messages/trash.ts';
import type { Progress } from './use-many.ts';

interface TrashBarProps {
  order: TrashOrder;
  /** Numbers of selected and shown items. */
  selected: number;
  shown: number;
  progress: Progress | undefined;
  onOrder(order: TrashOrder): void;
  /** Selects all shown items, or none. */
  onSelectAll(isSelected: boolean): void;
  onRestore(): void;
  onRemove(): void;
}

type Sort = keyof typeof trashMessages.sorts;

const SORTS = Object.keys(trashMessages.sorts) as Sort[];

/** Selection and order of the list. */
export function TrashBar({ order, onOrder, progress, ...selection }: TrashBarProps) {
  const choose = (value: string) => {
    const [sort, direction] = value.split(' ') as [TrashOrder['sort'], TrashOrder['order']];
    onOrder({ sort, order: direction });
  };
  return (
    <div className="trash-bar">
      {useCan('manage') && <SelectAll {...selection} />}
      {progress === undefined ? (
        selection.selected > 0 && <SelectionActions {...selection} />
      ) : (
        <Button onPress={progress.stop}>{trashMessages.stop}</Button>
      )}
      <span role="status" className="quiet number">
        {progress?.text}
      </span>
      <select
        className="input is-small"
        aria-label={trashMessages.sort}
        value={`${order.sort} ${order.order}`}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {SORTS.map((one) => (
          <option key={one} value={one}>
            {trashMessages.sorts[one]}
          </option>
        ))}
      </select>
    </div>
  );
}

type SelectionProps = Pick<TrashBarProps, 'selected' | 'shown' | 'onSelectAll' | 'onRestore' | 'onRemove'>;

function SelectAll({ selected, shown, onSelectAll }: SelectionProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = selected > 0 && selected < shown;
  }, [selected, shown]);
  return (
    <label className="trash-check">
      <input
        ref={box}
        type="checkbox"
        checked={selected > 0 && selected === shown}
        onChange={({ currentTarget }) => onSelectAll(currentTarget.checked)}
      />
      <span className="number">{selected === 0 ? trashMessages.selectAll : trashMessages.selected(selected)}</span>
    </label>
  );
}

function SelectionActions({ selected, onRestore, onRemove }: SelectionProps) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Button icon="undo" onPress={onRestore}>
        {trashMessages.restoreSelected}
      </Button>
      <Button icon="trash" onPress={() => setConfirming(true)}>
        {trashMessages.removeSelected}
      </Button>
      {isConfirming && (
        <Confirm
          title={actionsMessages.deleteTitle(selected)}
          text={trashMessages.removeText}
          action={trashMessages.removeAction}
          {...(selected >= MANY && { typed: { value: String(selected), label: actionsMessages.typeCount(selected) } })}
          onConfirm={async () => onRemove()}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
}
