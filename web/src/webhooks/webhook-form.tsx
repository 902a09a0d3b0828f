import type { Webhook } from '../api/types.ts';
import { EVENTS, type WebhookEvent, type WebhookFields } from '../api/webhooks.ts';
import { TextField } from '../components/field.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { messages } from '../messages/en.ts';

interface WebhookFormProps<Result> {
  title: string;
  action: string;
  /** Webhook to edit; a new one without it. */
  webhook?: Webhook;
  onSend(fields: WebhookFields): Promise<Result>;
  /** Called with the result. Default: closes the form. */
  onDone?(result: Result): void;
  onClose(): void;
}

/** Form of a webhook; stays open on errors. */
export function WebhookForm<Result>({ webhook, onSend, ...rest }: WebhookFormProps<Result>) {
  const send = async (data: FormData) => {
    const events = data.getAll('event') as WebhookEvent[];
    if (events.length === 0) throw new Error(messages.webhooks.noEvent);
    return onSend({ url: String(data.get('url')), folder: String(data.get('folder')), events });
  };
  return (
    <FormDialog {...rest} onSubmit={send}>
      <Fields webhook={webhook} />
    </FormDialog>
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
