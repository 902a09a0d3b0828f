import { useState } from 'react';
import { useCan, useRootName } from '../api/access.ts';
import { filesChanged } from '../api/batch.ts';
import { removeItem, restoreItem } from '../api/trash.ts';
import type { TrashItem } from '../api/types.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { formatAgo, formatBytes } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { useAction } from '../components/use-action.ts';
import { messages } from '../messages/en.ts';

export function TrashRow({ item }: { item: TrashItem }) {
  const { id, path, kind, size, deletedAt, expiresAt } = item;
  const at = path.lastIndexOf('/');
  const root = useRootName();
  return (
    <li className="trash-row">
      <span className="row-sign">
        <Icon name={kind} />
      </span>
      <div className="trash-name">
        <h2 title={path}>{path.slice(at + 1)}</h2>
        <span className="quiet">{at < 0 ? root : path.slice(0, at)}</span>
      </div>
      <div className="trash-facts quiet number">
        <span>{formatBytes(size)}</span>
        <span>{messages.trash.deleted(formatAgo(deletedAt))}</span>
        <span>{messages.trash.expires(formatAgo(expiresAt))}</span>
      </div>
      {useCan('manage') && <Actions id={id} path={path} />}
    </li>
  );
}

function Actions({ id, path }: { id: string; path: string }) {
  const { isBusy, run } = useAction((error) => toast(errorMessage(error)));
  const [isConfirming, setConfirming] = useState(false);
  const restore = async () => {
    const restored = await restoreItem(id);
    toast(messages.trash.restored(restored.path));
    filesChanged();
  };
  const remove = async () => {
    await removeItem(id);
    filesChanged();
  };
  return (
    <div className="trash-actions">
      <Button icon="undo" isPending={isBusy} onPress={() => run(restore)}>
        {messages.trash.restore}
      </Button>
      <Button
        variant="plain"
        icon="close"
        aria-label={messages.trash.remove(path)}
        onPress={() => setConfirming(true)}
      />
      {isConfirming && (
        <Confirm
          title={messages.trash.removeTitle(path.slice(path.lastIndexOf('/') + 1))}
          text={messages.trash.removeText}
          action={messages.trash.removeAction}
          onConfirm={remove}
          onClose={() => setConfirming(false)}
        />
      )}
    </div>
  );
}
