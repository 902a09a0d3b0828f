import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { deliveryUrl } from '../../api/files.ts';
import { folderSummaryQuery, type PreviewItem } from '../../api/folder-summaries.ts';
import { Icon } from '../../components/icon.tsx';
import { imageClassOf, TILE_PIXELS, thumbnailOf } from '../../components/thumbnails.ts';
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
  const items = (data?.previewItems ?? []).flatMap(coverOf).filter(({ url }) => !failed.includes(url));
  return (
    <>
      <div className={`thumb is-folder has-${items.length}`}>
        {items.map(({ url, className }) => (
          <img
            key={url}
            className={className}
            src={url}
            alt=""
            draggable={false}
            decoding="async"
            onError={() => setFailed((old) => [...old, url])}
          />
        ))}
        {items.length === 0 && <Icon name="folder" size={40} />}
        {items.length > 0 && (
          <span className="folder-sign" data-tip={messages.files.kind.folder}>
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

/** Image of a cover, with the variant and the look of its tile; none of files without a thumbnail. */
function coverOf({ type, ...item }: PreviewItem) {
  const file = { ...item, kind: type };
  const segment = thumbnailOf(file, TILE_PIXELS);
  return segment === undefined
    ? []
    : [{ url: deliveryUrl(file.path, segment, file.mtime), className: imageClassOf(file) }];
}
