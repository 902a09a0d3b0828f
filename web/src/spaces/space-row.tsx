import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LIBRARY, pageOfSpace, quotaQuery, type Space, spaceLabel } from '../api/spaces.ts';
import { ButtonLink } from '../components/button.tsx';
import { formatBytes } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { spacesMessages } from '../messages/spaces.ts';

/** The library or a space, with what it stores and delivers. */
export function SpaceRow({ space }: { space: Space }) {
  const { id, folder, enabled, hosts } = space;
  const isLibrary = id === LIBRARY;
  const name = spaceLabel(space);
  return (
    <li className="space-row">
      <span className="row-sign">
        <Icon name={isLibrary ? 'library' : 'space'} />
      </span>
      <div className="space-name">
        <h2>{name}</h2>
        {isLibrary ? <span className="quiet">{spacesMessages.libraryText}</span> : <code>{folder}</code>}
        {(hosts.length > 0 || !enabled) && (
          <span className="space-badges">
            {!enabled && <span className="badge is-disabled">{spacesMessages.disabled}</span>}
            {hosts.map((host) => (
              <span key={host} className="badge">
                {host}
              </span>
            ))}
          </span>
        )}
      </div>
      <Usage id={isLibrary ? undefined : id} isEnabled={enabled} />
      <div className="space-actions">
        <Link
          className="button"
          to="/spaces/$spaceId"
          params={{ spaceId: id }}
          aria-label={spacesMessages.settingsOf(name)}
        >
          {spacesMessages.settings}
        </Link>
        <ButtonLink href={pageOfSpace(space)} aria-label={spacesMessages.openOne(name)}>
          {spacesMessages.open}
        </ButtonLink>
      </div>
    </li>
  );
}

/** @param id undefined for the library */
function Usage({ id, isEnabled }: { id: string | undefined; isEnabled: boolean }) {
  // A disabled space answers nobody.
  const { data, error } = useQuery({ ...quotaQuery(id), enabled: isEnabled, retry: false });
  if (error || !isEnabled) return <div className="space-usage quiet">{spacesMessages.unknown}</div>;
  const limit = (bytes: number | null) => (bytes === null ? undefined : formatBytes(bytes));
  return (
    <div className="space-usage quiet number">
      {data && (
        <>
          <span>{spacesMessages.stored(formatBytes(data.usedBytes), limit(data.bytes))}</span>
          <span>{spacesMessages.delivered(formatBytes(data.usedTransfer), limit(data.transferPerMonth))}</span>
        </>
      )}
    </div>
  );
}
