import type { Usage } from '../api/usage.ts';
import { formatBytes } from '../components/format.ts';
import { usageMessages } from '../messages/usage.ts';

/** Share of a limit from which its bar warns. */
const WARNING_SHARE = 0.9;

/** Limits of the space with what is used of them. Without any limit there is nothing to show. */
export function QuotaCard({ quota }: { quota: Usage['quota'] }) {
  if (quota.bytes === null && quota.transferPerMonth === null) return null;
  return (
    <section className="card" aria-labelledby="quota-title">
      <div className="card-head">
        <h2 id="quota-title">{usageMessages.quota}</h2>
      </div>
      <div className="quotas">
        <Quota name={usageMessages.storage} used={quota.usedBytes} limit={quota.bytes} />
        <Quota name={usageMessages.transfer} used={quota.usedTransfer} limit={quota.transferPerMonth} />
      </div>
    </section>
  );
}

function Quota({ name, used, limit }: { name: string; used: number; limit: number | null }) {
  const text = limit === null ? usageMessages.noLimit(formatBytes(used)) : textOf(used, limit);
  const share = limit === null ? 0 : Math.min(1, used / Math.max(1, limit));
  return (
    <div className="quota">
      <span>{name}</span>
      <span className="quiet number">{text}</span>
      {limit !== null && (
        // biome-ignore lint/a11y/useSemanticElements: a <meter> looks different in each browser, and in no theme of ours.
        <div
          className={`progress-track quota-track${share >= WARNING_SHARE ? ' is-full' : ''}`}
          role="meter"
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={text}
        >
          <div className="progress-bar" style={{ width: `${100 * share}%` }} />
        </div>
      )}
    </div>
  );
}

const textOf = (used: number, limit: number) => usageMessages.used(formatBytes(used), formatBytes(limit));
