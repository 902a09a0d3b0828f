import { useQuery } from '@tanstack/react-query';
import { useCan, useSpace } from '../api/access.ts';
import { versionQuery } from '../api/status.ts';
import { PageHeader } from '../components/page-header.tsx';
import { statusMessages } from '../messages/status.ts';
import { HealthCard } from './health-card.tsx';
import { HistoryCard } from './history-card.tsx';
import { RefusedCard } from './refused-card.tsx';
import { StorageCards } from './storage-cards.tsx';
import { UsageCards } from './usage-cards.tsx';
import './status.css';

export function StatusPage() {
  const isAdmin = useCan('admin');
  const space = useSpace();
  const version = useQuery(versionQuery);
  return (
    <div className="page">
      <PageHeader title={statusMessages.title} lead={statusMessages.lead} documentation="status">
        {version.data && (
          <span className="badge number">
            {statusMessages.version} {version.data.version}
          </span>
        )}
      </PageHeader>
      <HealthCard />
      <StorageCards />
      <UsageCards />
      {isAdmin && space === null && (
        <>
          <HistoryCard />
          <RefusedCard />
        </>
      )}
    </div>
  );
}
