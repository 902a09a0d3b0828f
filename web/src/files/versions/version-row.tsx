import { useState } from 'react';
import { useCan } from '../../api/access.ts';
import { filesChanged } from '../../api/batch.ts';
import { deleteVersion, type Version, versionUrl } from '../../api/versions.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { formatAgo, formatBytes, formatMoment } from '../../components/format.ts';
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx';
import { versionsMessages } from '../../messages/versions.ts';
import { restore } from './restore.ts';

interface VersionRowProps {
  path: string;
  version: Version;
  /** Images only. */
  onCompare: (() => void) | undefined;
}

export function VersionRow({ path, version: { id, size, createdAt, width, height }, onCompare }: VersionRowProps) {
  const when = formatMoment(createdAt);
  return (
    <li>
      <div className="version-facts">
        <span title={when}>{versionsMessages.replaced(formatAgo(createdAt))}</span>
        <span className="quiet number">
          {[formatBytes(size), width && height && `${width} × ${height}`].filter(Boolean).join(' · ')}
        </span>
      </div>
      {onCompare && (
        <Button variant="plain" aria-label={versionsMessages.compareOne(when)} onPress={onCompare}>
          {versionsMessages.compare}
        </Button>
      )}
      <Actions path={path} id={id} when={when} />
    </li>
  );
}

function Actions({ path, id, when }: { path: string; id: string; when: string }) {
  const [isConfirming, setConfirming] = useState(false);
  const remove = async () => {
    await deleteVersion(path, id);
    filesChanged();
  };
  const label = versionsMessages.actions(when);
  const canManage = useCan('manage');
  return (
    <>
      <Menu label={label} trigger={<Button variant="plain" icon="more" aria-label={label} />}>
        <MenuItem icon="download" href={versionUrl(path, id)}>
          {versionsMessages.download}
        </MenuItem>
        {canManage && (
          <>
            <MenuItem icon="undo" onAction={() => restore(path, id)}>
              {versionsMessages.restore}
            </MenuItem>
            <MenuLine />
            <MenuItem icon="trash" isDangerous onAction={() => setConfirming(true)}>
              {versionsMessages.remove}
            </MenuItem>
          </>
        )}
      </Menu>
      {isConfirming && (
        <Confirm
          title={versionsMessages.removeTitle}
          text={versionsMessages.removeText(when)}
          action={versionsMessages.remove}
          onConfirm={remove}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
}
