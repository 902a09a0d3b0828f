import { type Permission, useAccess } from '../api/access.ts';
import { Button } from '../components/button.tsx';
import { ModalDialog } from '../components/dialog.tsx';
import { messages } from '../messages/en.ts';

/** Permissions of the keys that change something. */
const NEEDS: Readonly<Record<string, Permission>> = {
  F2: 'manage',
  Del: 'manage',
  'Ctrl+C Ctrl+X': 'manage',
  'Ctrl+V': 'manage',
  'Ctrl+Z': 'manage',
  u: 'upload',
  n: 'upload',
};

/** Keyboard shortcuts of the grid. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const allowed = useAccess()?.permissions ?? [];
  const shown = messages.files.keys.filter(([keys]) => {
    const needed = NEEDS[keys];
    return needed === undefined || allowed.includes(needed);
  });
  return (
    <ModalDialog title={messages.files.shortcuts} text={messages.files.shortcutsText} isOpen onClose={onClose}>
      <dl className="shortcuts">
        {shown.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <div className="dialog-actions">
        <Button variant="main" onPress={onClose}>
          {messages.close}
        </Button>
      </div>
    </ModalDialog>
  );
}
