import { useState } from 'react';
import { useSpace } from '../api/access.ts';
import { revokeKey, updateKey } from '../api/keys.ts';
import type { ApiKey } from '../api/types.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { formatAgo, formatDay } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../components/menu.tsx';
import { NameDialog } from '../components/name-dialog.tsx';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';
import { stateOf } from './key-state.ts';
import { LimitsDialog } from './limits.tsx';

interface KeyRowProps {
  apiKey: ApiKey;
  onChanged(): void;
}

export function KeyRow({ apiKey, onChanged }: KeyRowProps) {
  const { name, start, permissions, createdAt, lastUsedAt, expiresAt, remaining, rateLimit } = apiKey;
  const state = stateOf(apiKey);
  const isInLibrary = useSpace() === null;
  return (
    <li className="key-row">
      <span className="row-sign">
        <Icon name="key" />
      </span>
      <div className="key-name">
        <h2>{name}</h2>
        <code>{start}…</code>
      </div>
      <div className="key-rights">
        {permissions.map((permission) => (
          <span key={permission} className="badge">
            {messages.keys.permission[permission]}
          </span>
        ))}
        {isInLibrary && apiKey.space !== null && <span className="badge">{messages.keys.space(apiKey.space)}</span>}
        {remaining !== null && <span className="badge">{messages.keys.left(remaining)}</span>}
        {rateLimit !== null && <span className="badge">{messages.keys.rate(rateLimit.max, rateLimit.window)}</span>}
        {state !== 'good' && <span className={`badge is-${state}`}>{messages.keys.state[state]}</span>}
      </div>
      <div className="key-times quiet">
        <span>
          {lastUsedAt ? messages.keys.used(formatAgo(lastUsedAt)) : messages.keys.unused(formatAgo(createdAt))}
        </span>
        <span>{expiresAt ? messages.keys.expires(formatDay(expiresAt)) : messages.keys.forever}</span>
      </div>
      <KeyMenu apiKey={apiKey} onChanged={onChanged} />
    </li>
  );
}

function KeyMenu({ apiKey, onChanged }: KeyRowProps) {
  const { id, name, enabled } = apiKey;
  const [dialog, setDialog] = useState<'rename' | 'limits' | 'revoke'>();
  const close = () => setDialog(undefined);
  const change = async (what: { name?: string; enabled?: boolean }) => {
    const { message } = await updateKey(id, what);
    toast(message);
    onChanged();
  };
  const rename = (newName: string) => change({ name: newName });
  const revoke = async () => {
    const { message } = await revokeKey(id);
    toast(message);
    onChanged();
  };
  return (
    <>
      <Menu
        label={messages.keys.actions(name)}
        trigger={<Button variant="plain" icon="more" aria-label={messages.keys.actions(name)} />}
      >
        <MenuItem icon="pencil" onAction={() => setDialog('rename')}>
          {messages.keys.rename}
        </MenuItem>
        <MenuItem icon="settings" onAction={() => setDialog('limits')}>
          {messages.keys.limits}
        </MenuItem>
        <MenuItem
          icon={enabled ? 'pause' : 'play'}
          onAction={() => change({ enabled: !enabled }).catch((error) => toast(errorMessage(error)))}
        >
          {enabled ? messages.keys.disable : messages.keys.enable}
        </MenuItem>
        <MenuLine />
        <MenuItem icon="trash" isDangerous onAction={() => setDialog('revoke')}>
          {messages.keys.revoke}
        </MenuItem>
      </Menu>
      {dialog === 'limits' && <LimitsDialog apiKey={apiKey} onChanged={onChanged} onClose={close} />}
      {(dialog === 'rename' || dialog === 'revoke') && (
        <KeyDialog dialog={dialog} name={name} onName={rename} onRevoke={revoke} onClose={close} />
      )}
    </>
  );
}

interface KeyDialogProps {
  dialog: 'rename' | 'revoke';
  name: string;
  onName(name: string): Promise<unknown>;
  onRevoke(): Promise<unknown>;
  onClose(): void;
}

function KeyDialog({ dialog, name, onName, onRevoke, onClose }: KeyDialogProps) {
  if (dialog === 'rename')
    return (
      <NameDialog
        title={messages.keys.renameTitle}
        label={messages.keys.name}
        action={messages.keys.rename}
        name={name}
        onName={onName}
        onClose={onClose}
      />
    );
  return (
    <Confirm
      title={messages.keys.revokeTitle(name)}
      text={messages.keys.revokeText}
      action={messages.keys.revoke}
      typed={{ value: name, label: messages.keys.typeName(name) }}
      onConfirm={onRevoke}
      onClose={onClose}
    />
  );
}
