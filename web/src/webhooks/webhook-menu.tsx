import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '../api/types.ts';
import {
  deleteWebhook,
  deliveriesQuery,
  rotateSecret,
  testWebhook,
  updateWebhook,
  type WebhookFields,
} from '../api/webhooks.ts';
import { Button } from '../components/button.tsx';
import { Confirm, ShownOnce } from '../components/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../components/menu.tsx';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';
import { WebhookForm } from './webhook-form.tsx';

interface WebhookMenuProps {
  webhook: Webhook;
  onChanged(): void;
  onTested(): void;
}

type OpenDialog = 'edit' | 'remove' | { secret: string };

export function WebhookMenu({ webhook, onChanged, onTested }: WebhookMenuProps) {
  const { id, url, enabled } = webhook;
  const client = useQueryClient();
  const [dialog, setDialog] = useState<OpenDialog>();
  const run = (request: Promise<unknown>) => void request.then(onChanged, (error) => toast(errorMessage(error)));
  const test = async () => {
    await testWebhook(id);
    await client.invalidateQueries({ queryKey: deliveriesQuery(id).queryKey });
    toast(messages.webhooks.tested);
    onTested();
  };
  const rotate = async () => setDialog({ secret: (await rotateSecret(id)).secret });
  const label = messages.webhooks.actions(url);
  return (
    <>
      <Menu label={label} trigger={<Button variant="plain" icon="more" aria-label={label} />}>
        {enabled && (
          <MenuItem icon="play" onAction={() => run(test())}>
            {messages.webhooks.test}
          </MenuItem>
        )}
        <MenuItem icon="pencil" onAction={() => setDialog('edit')}>
          {messages.webhooks.edit}
        </MenuItem>
        <MenuItem icon={enabled ? 'pause' : 'check'} onAction={() => run(updateWebhook(id, { enabled: !enabled }))}>
          {enabled ? messages.webhooks.disable : messages.webhooks.enable}
        </MenuItem>
        <MenuItem icon="key" onAction={() => run(rotate())}>
          {messages.webhooks.rotate}
        </MenuItem>
        <MenuLine />
        <MenuItem icon="trash" isDangerous onAction={() => setDialog('remove')}>
          {messages.webhooks.remove}
        </MenuItem>
      </Menu>
      {dialog !== undefined && (
        <WebhookDialog dialog={dialog} webhook={webhook} onChanged={onChanged} onClose={() => setDialog(undefined)} />
      )}
    </>
  );
}

interface WebhookDialogProps {
  dialog: OpenDialog;
  webhook: Webhook;
  onChanged(): void;
  onClose(): void;
}

function WebhookDialog({ dialog, webhook, onChanged, onClose }: WebhookDialogProps) {
  const { id } = webhook;
  const { editTitle, save, removeTitle, remove, rotated, rotatedText } = messages.webhooks;
  const change = async (fields: WebhookFields) => {
    await updateWebhook(id, fields);
    onChanged();
  };
  const destroy = async () => {
    toast((await deleteWebhook(id)).message);
    onChanged();
  };
  if (dialog === 'edit')
    return <WebhookForm title={editTitle} action={save} webhook={webhook} onSend={change} onClose={onClose} />;
  if (dialog !== 'remove')
    return (
      <ShownOnce
        title={rotated}
        text={rotatedText}
        value={dialog.secret}
        what={messages.copies.secret}
        onClose={onClose}
      />
    );
  const text = (
    <>
      <code>{webhook.url}</code> {messages.webhooks.removeText}
    </>
  );
  return <Confirm title={removeTitle} text={text} action={remove} onConfirm={destroy} onClose={onClose} />;
}
