import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { deliveryUrl } from '../../api/files.ts';
import { folderSummaryQuery } from '../../api/folder-summaries.ts';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import { PrivateSign } from './private-sign.tsx';

interface FolderTileProps {
  name: string;
  path: string;
  /** Summaries are not requested while scrolling. */
  isScrolling: boolean;
  isPrivate: boolean;
  /** Instead of the number of items. */
  children?: ReactNode;
}

/** Folder tile with a preview of its content. */
export function FolderTile({ name, path, isScrolling, isPrivate, children }: FolderTileProps) {
  const { data } = useQuery({ ...folderSummaryQuery(path), enabled: !isScrolling });
  const [failed, setFailed] = useState<readonly string[]>([]);
  const items = (data?.previewItems ?? []).filter((item) => !failed.includes(previewOf(item)));
  return (
    <>
      <div className={`thumb is-folder has-${items.length}`}>
        {items.map((item) => (
          <img
            key={item.path}
            src={previewOf(item)}
            alt=""
            draggable={false}
            decoding="async"
            onError={() => setFailed((old) => [...old, previewOf(item)])}
          />
        ))}
        {items.length === 0 && <Icon name="folder" size={40} />}
        {items.length > 0 && (
          <span className="folder-sign">
            <Icon name="folder" size={16} />
          </span>
        )}
      </div>
      <span className="tile-name">{name}</span>
      <span className="unseen">{messages.files.kind.folder}</span>
      {isPrivate && <PrivateSign />}
      {children || (
        <span className="tile-facts number">{data && messages.files.inside(data.itemCount, data.truncated)}</span>
      )}
    </>
  );
}

function previewOf({ path, type }: { path: string; type: 'image' | 'video' }): string {
  return deliveryUrl(path, `${type === 'video' ? 't_true,tt_1,' : ''}w_320,h_320,c_fill,q_70,f_webp`);
}
