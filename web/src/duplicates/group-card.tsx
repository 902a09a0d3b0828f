import { Link } from '@tanstack/react-router';
import { useRootName } from '../api/access.ts';
import type { DuplicateGroup } from '../api/duplicates.ts';
import { deliveryUrl } from '../api/files.ts';
import type { Asset } from '../api/types.ts';
import { Button } from '../components/button.tsx';
import { formatBytes, formatDay } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { useAction } from '../components/use-action.ts';
import { duplicatesMessages } from '../messages/duplicates.ts';
import { isSelected, removedPaths, type Selection } from './selection.ts';
import { tidy } from './tidy.ts';

interface GroupCardProps {
  group: DuplicateGroup;
  selection: Selection;
  /** Undefined for people who may not delete files. */
  onKeep: ((path: string, isSelected: boolean) => void) | undefined;
}

/** Maximum number of listed files per group. */
const MOST = 100;

/** Group of duplicates: selected files stay, the others move to the trash. */
export function GroupCard({ group, selection, onKeep }: GroupCardProps) {
  const { assets, wastedBytes } = group;
  const { isBusy, run } = useAction();
  const rest = removedPaths(group, selection);
  return (
    <section className="card" aria-label={duplicatesMessages.group(assets.length, assets[0]?.name ?? '')}>
      <header className="card-head">
        <h2>
          {duplicatesMessages.count(assets.length)}
          <span className="same-extra quiet number"> · {duplicatesMessages.wasted(formatBytes(wastedBytes))}</span>
        </h2>
        {onKeep && (
          <Button icon="trash" isDisabled={rest.length === 0} isPending={isBusy} onPress={() => run(() => tidy(rest))}>
            {rest.length === 0 ? duplicatesMessages.nothing : duplicatesMessages.remove(rest.length)}
          </Button>
        )}
      </header>
      <ul className="same">
        {assets.map((asset) => (
          <Same
            key={asset.path}
            asset={asset}
            isSelected={onKeep !== undefined && isSelected(group, asset, selection)}
            onKeep={onKeep && ((selected) => onKeep(asset.path, selected))}
          />
        ))}
      </ul>
      {assets.length === MOST && <p className="same-more quiet">{duplicatesMessages.onlyFirst(MOST)}</p>}
    </section>
  );
}

interface SameProps {
  asset: Asset;
  isSelected: boolean;
  onKeep: ((isSelected: boolean) => void) | undefined;
}

function Same({ asset, isSelected, onKeep }: SameProps) {
  const { path, name, folder, size, width, height, createdAt } = asset;
  const root = useRootName();
  return (
    <li className={isSelected ? 'is-selected' : onKeep ? '' : 'is-plain'}>
      {onKeep ? (
        <label className="same-image">
          <Thumbnail asset={asset} />
          <span className="same-keep">
            <input
              type="checkbox"
              aria-label={duplicatesMessages.keepOne(path)}
              checked={isSelected}
              onChange={({ target }) => onKeep(target.checked)}
            />
            {duplicatesMessages.keep}
          </span>
        </label>
      ) : (
        <span className="same-image">
          <Thumbnail asset={asset} />
        </span>
      )}
      <Link
        className="same-name"
        to="/files/$"
        params={{ _splat: folder }}
        search={{ open: path }}
        title={path}
        aria-label={duplicatesMessages.open(path)}
      >
        {name}
      </Link>
      <span className="same-folder quiet" title={folder}>
        {folder || root}
      </span>
      <span className="quiet number">
        {[width && height && `${width} × ${height}`, formatBytes(size)].filter(Boolean).join(' · ')}
      </span>
      <span className="quiet number">{formatDay(createdAt)}</span>
    </li>
  );
}

/** Images of unknown size may not be decodable, and the whole original would be delivered. */
function Thumbnail({ asset: { kind, path, mtime, width, alt, hasAlpha } }: { asset: Asset }) {
  const frame = kind === 'video' ? 't_true,tt_1,' : '';
  if ((kind !== 'image' && kind !== 'video') || width === null) return <Icon name={kind} size={32} />;
  return (
    <img
      className={hasAlpha ? 'file-image is-transparent' : 'file-image'}
      src={deliveryUrl(path, `${frame}w_480,h_480,c_fit,q_75,f_webp`, mtime)}
      alt={alt ?? ''}
      loading="lazy"
      decoding="async"
    />
  );
}
