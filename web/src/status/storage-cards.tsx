import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useCan } from '../api/access.ts';
import { clearCache, recalculateStats, statsQuery } from '../api/status.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { formatAgo, formatBytes, formatCount } from '../components/format.ts';
import { ErrorNotice, errorMessage, Skeleton } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { useAction } from '../components/use-action.ts';
import { messages } from '../messages/en.ts';
import { statusMessages } from '../messages/status.ts';

/** Size of originals and cache. */
export function StorageCards() {
  const { data, error, refetch } = useQuery(statsQuery);
  const canManage = useCan('manage');
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  return (
    <div className="figures">
      <Figure
        title={statusMessages.originals}
        size={data?.storage.size}
        count={data && messages.plural.files(data.storage.fileCount)}
      >
        {data && <span className="quiet">{statusMessages.countedAgo(formatAgo(data.updatedAt))}</span>}
        {canManage && <RecountButton />}
      </Figure>
      <Figure
        title={statusMessages.cache}
        size={data?.cache.size}
        count={data && messages.plural.variants(data.cache.fileCount)}
      >
        {canManage && <ClearButton variants={data?.cache.fileCount ?? 0} size={data?.cache.size ?? 0} />}
      </Figure>
    </div>
  );
}

function RecountButton() {
  const client = useQueryClient();
  const { isBusy, run } = useAction((error) => toast(errorMessage(error)));
  const recount = async () => {
    client.setQueryData(statsQuery.queryKey, await recalculateStats());
    void client.invalidateQueries({ queryKey: ['usage'] });
    toast(statusMessages.recounted);
  };
  return (
    <Button variant="plain" icon="refresh" isPending={isBusy} onPress={() => run(recount)}>
      {statusMessages.recount}
    </Button>
  );
}

function ClearButton({ variants, size }: { variants: number; size: number }) {
  const client = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const clear = async () => {
    await clearCache();
    await client.invalidateQueries({ queryKey: statsQuery.queryKey });
    toast(statusMessages.cleared);
  };
  return (
    <>
      <Button variant="plain" icon="trash" isDisabled={variants === 0} onPress={() => setConfirming(true)}>
        {statusMessages.clear}
      </Button>
      {isConfirming && (
        <Confirm
          title={statusMessages.clearTitle}
          text={statusMessages.clearText(messages.plural.variants(variants), formatBytes(size))}
          action={statusMessages.clear}
          onConfirm={clear}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
}

function Figure(props: { title: string; size?: number; count?: string; children: ReactNode }) {
  const { title, size, count, children } = props;
  const [value, unit] = size === undefined ? [] : formatBytes(size).split(' ');
  return (
    <section className="card figure" aria-label={title}>
      <h2>{title}</h2>
      {size === undefined ? (
        <Skeleton width={120} height={36} />
      ) : (
        <p className="figure-value number">
          {value}
          <small>{unit}</small>
        </p>
      )}
      <p className="quiet number">{count ?? formatCount(0)}</p>
      <footer className="figure-foot">{children}</footer>
    </section>
  );
}
