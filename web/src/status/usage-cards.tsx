import { useQuery } from '@tanstack/react-query';
import { usageQuery } from '../api/status.ts';
import { formatBytes, formatCount } from '../components/format.ts';
import { ShareBar } from '../components/share-bar.tsx';
import { ErrorNotice, Skeleton } from '../components/states.tsx';
import { statusMessages } from '../messages/status.ts';

interface Share {
  name: string;
  size: number;
  fileCount: number;
}

/** A longer list would show all folders. */
const MAX_FOLDERS = 8;

/** Storage usage by kind and by top-level folder. */
export function UsageCards() {
  const { data, error, refetch } = useQuery(usageQuery);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const kinds = Object.entries(data?.kinds ?? {}).map(([kind, total]) => ({
    name: statusMessages.kinds[kind] ?? kind,
    ...total,
  }));
  const folders = data?.folders.map(({ path, ...total }) => ({ name: path, ...total })) ?? [];
  const hidden = Math.max(0, folders.length - MAX_FOLDERS);
  return (
    <div className="figures">
      <UsageCard title={statusMessages.byKind} shares={data && kinds} />
      {(data === undefined || folders.length > 0) && (
        <UsageCard
          title={statusMessages.byFolder}
          shares={data && folders.toSorted(bySize).slice(0, MAX_FOLDERS)}
          foot={hidden > 0 ? statusMessages.more(hidden) : undefined}
        />
      )}
    </div>
  );
}

const bySize = (one: Share, other: Share) => other.size - one.size;

function UsageCard({ title, shares, foot }: { title: string; shares?: readonly Share[]; foot?: string }) {
  const largest = Math.max(1, ...(shares ?? []).map(({ size }) => size));
  return (
    <section className="card usage">
      <div className="card-head">
        <h2>{title}</h2>
      </div>
      {shares === undefined && <Skeleton height={120} />}
      {shares?.length === 0 && <p className="quiet usage-none">{statusMessages.noFiles}</p>}
      {shares !== undefined && shares.length > 0 && (
        <table className="usage-table">
          <thead className="unseen">
            <tr>
              <th scope="col">{statusMessages.table.name}</th>
              <th scope="col">{statusMessages.table.files}</th>
              <th scope="col">{statusMessages.table.size}</th>
            </tr>
          </thead>
          <tbody>
            {shares.toSorted(bySize).map(({ name, size, fileCount }) => (
              <tr key={name}>
                <th scope="row">
                  <span className="usage-name">{name}</span>
                  <ShareBar share={size / largest} />
                </th>
                <td className="quiet number">{formatCount(fileCount)}</td>
                <td className="number">{formatBytes(size)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {foot && <p className="quiet usage-none">{foot}</p>}
    </section>
  );
}
