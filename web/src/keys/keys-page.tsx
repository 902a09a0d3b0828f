import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keysQuery } from '../api/keys.ts';
import { Button } from '../components/button.tsx';
import { usePageActions } from '../components/page-actions.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { messages } from '../messages/en.ts';
import { CreateKey } from './create-key.tsx';
import { KeyRow } from './key-row.tsx';
import './keys.css';

/** `/keys`: API keys. */
export function KeysPage() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(keysQuery);
  const [isCreating, setCreating] = useState(false);
  usePageActions([{ label: messages.keys.create, icon: 'plus', run: () => setCreating(true) }]);
  const changed = () => client.invalidateQueries({ queryKey: keysQuery.queryKey });
  const create = (
    <Button variant="main" icon="plus" onPress={() => setCreating(true)}>
      {messages.keys.create}
    </Button>
  );
  return (
    <div className="page">
      <PageHeader title={messages.keys.title} lead={messages.keys.lead} documentation="keys">
        {data !== undefined && data.length > 0 && create}
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {data === undefined && !error && <Skeleton height={180} />}
      {data?.length === 0 && (
        <Empty icon="key" title={messages.keys.empty} action={create}>
          {messages.keys.emptyText}
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <ul className="card rows">
          {data.map((key) => (
            <KeyRow key={key.id} apiKey={key} onChanged={changed} />
          ))}
        </ul>
      )}
      {isCreating && <CreateKey onCreated={changed} onClose={() => setCreating(false)} />}
    </div>
  );
}
