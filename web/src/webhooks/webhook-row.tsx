import { useState } from 'react';
import type { Webhook } from '../api/types.ts';
import { Button } from '../components/button.tsx';
import { formatAgo } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { messages } from '../messages/en.ts';
import { DeliveryLog } from './delivery-log.tsx';
import { WebhookMenu } from './webhook-menu.tsx';

interface WebhookRowProps {
  webhook: Webhook;
  onChanged(): void;
}

export function WebhookRow({ webhook, onChanged }: WebhookRowProps) {
  const { id, url, events, folder, waiting, enabled } = webhook;
  const [isOpen, setOpen] = useState(false);
  const state = stateOf(webhook);
  const failure = failureReason(webhook);
  return (
    <li className="webhook-row">
      <span className="row-sign">
        <Icon name="link" />
      </span>
      <div className="webhook-name">
        <h2 title={url}>{url}</h2>
        <p className="quiet">
          {[
            ...events.map((event) => messages.webhooks.event[event]),
            ...(folder === '' ? [] : [messages.webhooks.inFolder(folder)]),
          ].join(' · ')}
        </p>
      </div>
      <div className="webhook-state">
        <span className={`badge is-${state}`}>{messages.webhooks.state[state]}</span>
        {waiting > 0 && <span className="quiet number">{messages.webhooks.waiting(waiting)}</span>}
      </div>
      <div className="webhook-actions">
        <Button aria-expanded={isOpen} aria-label={messages.webhooks.logOf(url)} onPress={() => setOpen(!isOpen)}>
          {messages.webhooks.log}
        </Button>
        <WebhookMenu webhook={webhook} onChanged={onChanged} onTested={() => setOpen(true)} />
      </div>
      {failure && <p className="webhook-failure">{failure}</p>}
      {isOpen && <DeliveryLog id={id} url={url} isEnabled={enabled} />}
    </li>
  );
}

function stateOf({ enabled, failingSince }: Webhook): keyof typeof messages.webhooks.state {
  if (!enabled) return 'disabled';
  return failingSince === null ? 'good' : 'failing';
}

function failureReason({ enabled, disabledReason, failingSince }: Webhook): string | undefined {
  if (!enabled) return disabledReason ?? undefined;
  return failingSince === null ? undefined : messages.webhooks.failing(formatAgo(failingSince));
}
