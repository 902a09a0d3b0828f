import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan } from '../../api/access.ts';
import type { Asset } from '../../api/types.ts';
import { type Version, versionsQuery } from '../../api/versions.ts';
import { ErrorNotice, Skeleton } from '../../components/states.tsx';
import { versionsMessages } from '../../messages/versions.ts';
import { CachedCopies } from './cached-copies.tsx';
import { CompareDialog } from './compare-dialog.tsx';
import { ReplaceButton } from './replacing.tsx';
import { VersionRow } from './version-row.tsx';
import './versions.css';

/** Versions of a file, and its replacement. */
export function VersionsSection({ asset }: { asset: Asset }) {
  const { data, error, refetch } = useQuery(versionsQuery(asset));
  const canManage = useCan('manage');
  const [compared, setCompared] = useState<Version>();
  return (
    <section className="details-section" aria-label={versionsMessages.title}>
      <div className="versions-head">
        <h3>{versionsMessages.title}</h3>
        {canManage && <ReplaceButton asset={asset} />}
      </div>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {data === undefined && !error && <Skeleton height={44} />}
      {data?.[0] && <CachedCopies asset={asset} since={Date.parse(data[0].createdAt)} />}
      {data?.length === 0 && <p className="quiet">{versionsMessages.none}</p>}
      {data !== undefined && data.length > 0 && (
        <ol className="versions">
          {data.map((version) => (
            <VersionRow
              key={version.id}
              path={asset.path}
              version={version}
              onCompare={asset.kind === 'image' ? () => setCompared(version) : undefined}
            />
          ))}
        </ol>
      )}
      {compared && <CompareDialog asset={asset} version={compared} onClose={() => setCompared(undefined)} />}
    </section>
  );
}
