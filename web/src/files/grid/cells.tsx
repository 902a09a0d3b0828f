import { useRootName } from '../../api/access.ts';
import { folderOf } from '../../api/paths.ts';
import { formatBytes, formatDay } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { TILE_PIXELS } from '../../components/thumbnails.ts';
import { messages } from '../../messages/en.ts';
import type { Entry, FileEntry } from '../entry.ts';
import { formatOf } from '../entry.ts';
import { FolderTile } from './folder-tile.tsx';
import { PrivateSign } from './private-sign.tsx';
import { Thumbnail } from './thumbnail.tsx';

interface CellProps {
  entry: Entry | undefined;
  isScrolling: boolean;
  /** True for search results. */
  showsFolder: boolean;
  /** True for folders from which visitors get nothing. */
  isPrivate: boolean;
}

const ROW_PIXELS = 80;

/** Content of a tile. */
export function TileBody({ entry, isScrolling, showsFolder, isPrivate }: CellProps) {
  if (entry === undefined) return <div className="thumb is-empty" />;
  if (entry.kind === 'folder')
    return (
      <FolderTile name={entry.name} path={entry.path} isScrolling={isScrolling} isPrivate={isPrivate}>
        {showsFolder && <FolderName className="tile-facts" path={entry.path} />}
      </FolderTile>
    );
  return (
    <>
      <Thumbnail entry={entry} size={TILE_PIXELS} isScrolling={isScrolling} />
      <span className="tile-name">{entry.name}</span>
      <span className="unseen">
        {messages.files.kind[entry.kind]}
        <Problem entry={entry} />
      </span>
      {showsFolder ? <FolderName className="tile-facts" path={entry.path} /> : <TileFacts entry={entry} />}
    </>
  );
}

/** Cells of a list row. */
export function RowBody({ entry, isScrolling, showsFolder, isPrivate }: CellProps) {
  if (entry === undefined) return <div className="row-name" role="gridcell" />;
  const isFolder = entry.kind === 'folder';
  return (
    <>
      <div className="row-name" role="gridcell">
        {isFolder ? (
          <div className="thumb is-folder">
            <Icon name="folder" />
          </div>
        ) : (
          <Thumbnail entry={entry} size={ROW_PIXELS} isScrolling={isScrolling} />
        )}
        <span className="row-text">
          <span className="row-title">{entry.name}</span>
          {!isFolder && entry.problem !== null && (
            <span className="row-folder" title={entry.problem}>
              <Problem entry={entry} />
            </span>
          )}
          {showsFolder && <FolderName className="row-folder" path={entry.path} />}
        </span>
        {isPrivate && <PrivateSign />}
      </div>
      <div className="row-kind" role="gridcell">
        {formatOf(entry)}
      </div>
      <div className="row-pixels number" role="gridcell">
        {isFolder ? '' : pixelsOf(entry)}
      </div>
      <div className="row-size number" role="gridcell">
        {isFolder ? '' : formatBytes(entry.size)}
      </div>
      <div className="row-time number" role="gridcell">
        {isFolder ? '' : formatDay(entry.mtime)}
      </div>
    </>
  );
}

/** Says that a file cannot be decoded, and why. */
function Problem({ entry: { problem } }: { entry: FileEntry }) {
  return problem === null ? null : ` ${messages.files.undecodable} ${problem}`;
}

/** Folder of a search result. */
function FolderName({ className, path }: { className: string; path: string }) {
  const root = useRootName();
  return <span className={className}>{folderOf(path) || root}</span>;
}

function pixelsOf({ width, height }: { width: number | null; height: number | null }): string {
  return width !== null && height !== null ? `${width} × ${height}` : '';
}

function TileFacts({ entry }: { entry: Exclude<Entry, { kind: 'folder' }> }) {
  const pixels = pixelsOf(entry);
  const size = formatBytes(entry.size);
  return (
    <span className="tile-facts number">
      {pixels === '' ? size : pixels}
      {pixels !== '' && <span className="tile-size"> · {size}</span>}
    </span>
  );
}
