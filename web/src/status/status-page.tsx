import { useQuery } from '@tanstack/react-query';
import { useCan, useSpace } from '../api/access.ts';
import { versionQuery } from '../api/status.ts';
import { PageHeader } from '../components/page-header.tsx';
import { messages } from '../messages/en.ts';
import { HealthCard } from './health-card.tsx';
import { HistoryCard } from './history-card.tsx';
import { StorageCards } from './storage-cards.tsx';
import { UsageCards } from './usage-cards.tsx';
import './status.css';

export function StatusPage() {
  const isAdmin = useCan('admin');
  const space = useSpace();
  const version = useQuery(versionQuery);
  return (
    <div className="page">
      <PageHeader title={messages.status.title} lead={messages.status.lead} documentation="status">
        {version.data && (
          <span className="badge number">
            {messages.status.version} {version.data.version}
          </span>
        )}
      </PageHeader>
      <HealthCard />
      <StorageCards />
      <UsageCards />
      {isAdmin && space === null && <HistoryCard />}
    </div>
  );
}
