import { useQuery } from '@tanstack/react-query';
import { useCan, useSpace } from '../api/access.ts';
import { versionQuery } from '../api/status.ts';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { HealthCard } from './health-card.tsx';
import { HistoryCard } from './history-card.tsx';
import { StorageCards } from './storage-cards.tsx';
import { UsageCards } from './usage-cards.tsx';
import './status.css';

export function StatusPage() {
  useTitle(messages.status.title);
  const isAdmin = useCan('admin');
  const space = useSpace();
  const version = useQuery(versionQuery);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{messages.status.title}</h1>
          <p>{messages.status.lead}</p>
        </div>
        {version.data && (
          <span className="badge number">
            {messages.status.version} {version.data.version}
          </span>
        )}
      </header>
      <HealthCard />
      <StorageCards />
      <UsageCards />
      {isAdmin && space === null && <HistoryCard />}
    </div>
  );
}
