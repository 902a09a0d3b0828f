import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createWebhook, type WebhookFields, webhooksQuery } from '../api/webhooks.ts';
import { Button } from '../components/button.tsx';
import { ShownOnce } from '../components/dialog.tsx';
import { usePageActions } from '../components/page-actions.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { messages } from '../messages/en.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookRow } from './webhook-row.tsx';
import './webhooks.css';

/** `/webhooks`: webhooks and their deliveries. */
export function WebhooksPage() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(webhooksQuery);
  const [isCreating, setCreating] = useState(false);
  usePageActions([{ label: messages.webhooks.create, icon: 'plus', run: () => setCreating(true) }]);
  const changed = () => client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  const create = (
    <Button variant="main" icon="plus" onPress={() => setCreating(true)}>
      {messages.webhooks.create}
    </Button>
  );
  return (
    <div className="page">
      <PageHeader title={messages.webhooks.title} lead={messages.webhooks.lead} documentation="webhooks">
        {data !== undefined && data.length > 0 && create}
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {data === undefined && !error && <Skeleton height={180} />}
      {data?.length === 0 && (
        <Empty icon="link" title={messages.webhooks.empty} action={create}>
          {messages.webhooks.emptyText}
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <ul className="card rows">
          {data.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} onChanged={changed} />
          ))}
        </ul>
      )}
      {isCreating && <CreateWebhook onCreated={changed} onClose={() => setCreating(false)} />}
    </div>
  );
}

function CreateWebhook({ onCreated, onClose }: { onCreated(): void; onClose(): void }) {
  const [secret, setSecret] = useState<string>();
  const create = async (fields: WebhookFields) => {
    const made = await createWebhook(fields);
    onCreated();
    return made.secret;
  };
  if (secret === undefined)
    return (
      <WebhookForm
        title={messages.webhooks.create}
        action={messages.webhooks.create}
        onSend={create}
        onDone={setSecret}
        onClose={onClose}
      />
    );
  const { made, madeText } = messages.webhooks;
  return <ShownOnce title={made} text={madeText} value={secret} what={messages.copies.secret} onClose={onClose} />;
}
