import { type MouseEvent, useState } from 'react';
import { useCan, useRootName } from '../api/access.ts';
import { filesChanged } from '../api/batch.ts';
import { folderOf, nameOf } from '../api/paths.ts';
import { previewOf, removeItem, restoreItem } from '../api/trash.ts';
import type { TrashItem } from '../api/types.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { formatAgo, formatBytes, formatMoment } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { useAction } from '../components/use-action.ts';
import { trashMessages } from '../messages/trash.ts';

interface TrashRowProps {
  item: TrashItem;
  isSelected: boolean;
  /** @param isRange true to extend the selection to it */
  onSelect(isRange: boolean): void;
}

const DAY_MS = 86_400_000;
/** Items with fewer days are marked. */
const FEW_DAYS = 3;

export function TrashRow({ item, isSelected, onSelect }: TrashRowProps) {
  const { id, path, size, deletedAt, expiresAt } = item;
  const root = useRootName();
  const canManage = useCan('manage');
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / DAY_MS);
  return (
    <li className={`trash-row${isSelected ? ' is-selected' : ''}`}>
      {canManage && <Check path={path} isSelected={isSelected} onSelect={onSelect} />}
      <Preview item={item} />
      <div className="trash-name">
        <h2 title={path}>{nameOf(path)}</h2>
        <span className="quiet">{folderOf(path) || root}</span>
      </div>
      <div className="trash-facts quiet number">
        <span>{formatBytes(size)}</span>
        <span title={formatMoment(deletedAt)}>{trashMessages.deleted(formatAgo(deletedAt))}</span>
        <span
          className={days < FEW_DAYS ? 'badge is-soon' : ''}
          title={trashMessages.expiresAt(formatMoment(expiresAt))}
        >
          {trashMessages.left(days)}
        </span>
      </div>
      {canManage && <Actions id={id} path={path} />}
    </li>
  );
}

function Check({ path, isSelected, onSelect }: Omit<TrashRowProps, 'item'> & { path: string }) {
  return (
    <label className="trash-check">
      <input
        type="checkbox"
        aria-label={trashMessages.select(path)}
        checked={isSelected}
        readOnly
        onClick={(event: MouseEvent) => onSelect(event.shiftKey)}
      />
    </label>
  );
}

/** Small image of the file, or the icon of its kind. */
function Preview({ item }: { item: TrashItem }) {
  const url = previewOf(item);
  const [hasFailed, setFailed] = useState(false);
  return (
    <span className="row-sign">
      <Icon name={item.kind} />
      {url !== undefined && !hasFailed && (
        <img src={url} alt="" loading="lazy" decoding="async" onError={() => setFailed(true)} />
      )}
    </span>
  );
}

function Actions({ id, path }: { id: string; path: string }) {
  const { isBusy, run } = useAction((error) => toast(errorMessage(error)));
  const [isConfirming, setConfirming] = useState(false);
  const restore = async () => {
    const restored = await restoreItem(id);
    toast(trashMessages.restored(restored.path));
    filesChanged();
  };
  const remove = async () => {
    await removeItem(id);
    filesChanged();
  };
  return (
    <div className="trash-actions">
      <Button icon="undo" isPending={isBusy} onPress={() => run(restore)}>
        {trashMessages.restore}
      </Button>
      <Button
        variant="plain"
        icon="trash"
        aria-label={trashMessages.remove(path)}
        onPress={() => setConfirming(true)}
      />
      {isConfirming && (
        <Confirm
          title={trashMessages.removeTitle(nameOf(path))}
          text={trashMessages.removeText}
          action={trashMessages.removeAction}
          onConfirm={remove}
          onClose={() => setConfirming(false)}
        />
      )}
    </div>
  );
}
