import { useAccess } from '../api/access.ts';
import { Button } from '../components/button.tsx';
import { ModalDialog } from '../components/dialog.tsx';
import { messages } from '../messages/en.ts';
import { isAllowed, SHORTCUTS } from './commands.ts';

/** Keyboard shortcuts of the grid. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const access = useAccess();
  const shown = SHORTCUTS.filter(({ command }) => command === undefined || isAllowed(command, access));
  return (
    <ModalDialog title={messages.files.shortcuts} text={messages.files.shortcutsText} isOpen onClose={onClose}>
      <dl className="shortcuts" tabIndex={0} aria-label={messages.files.shortcuts}>
        {shown.map(({ keys, text }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
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
