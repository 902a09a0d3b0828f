import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import type { Webhook } from '../api/types.ts';
import { EVENTS, type WebhookEvent, type WebhookFields } from '../api/webhooks.ts';
import { Button } from '../components/button.tsx';
import { ModalDialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { messages } from '../messages/en.ts';

interface WebhookFormProps {
  title: string;
  action: string;
  /** Webhook to edit; a new one without it. */
  webhook?: Webhook;
  onSend(fields: WebhookFields): Promise<unknown>;
  onClose(): void;
}

/** Form of a webhook; stays open on errors. */
export function WebhookForm({ title, action, webhook, onSend, onClose }: WebhookFormProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const events = data.getAll('event') as WebhookEvent[];
    if (events.length === 0) return setError(new Error(messages.webhooks.noEvent));
    setBusy(true);
    onSend({ url: String(data.get('url')), folder: String(data.get('folder')), events })
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <ModalDialog title={title} isOpen onClose={onClose}>
      <Form className="form" onSubmit={submit}>
        {error !== undefined && <ErrorNotice error={error} />}
        <Fields webhook={webhook} />
        <div className="dialog-actions">
          <Button onPress={onClose}>{messages.cancel}</Button>
          <Button type="submit" variant="main" isPending={isBusy}>
            {action}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}

function Fields({ webhook }: { webhook: Webhook | undefined }) {
  return (
    <>
      <TextField
        name="url"
        type="url"
        label={messages.webhooks.url}
        hint={messages.webhooks.urlHint}
        placeholder="https://"
        defaultValue={webhook?.url ?? ''}
        maxLength={2048}
        isRequired
        autoFocus
      />
      <fieldset className="options">
        <legend>{messages.webhooks.events}</legend>
        {EVENTS.map((one) => (
          <label key={one} className="option">
            <input type="checkbox" name="event" value={one} defaultChecked={webhook?.events.includes(one) ?? true} />
            <span>
              {messages.webhooks.event[one]}
              <small>{one}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <TextField
        name="folder"
        label={messages.webhooks.folder}
        hint={messages.webhooks.folderHint}
        defaultValue={webhook?.folder ?? ''}
      />
    </>
  );
}
