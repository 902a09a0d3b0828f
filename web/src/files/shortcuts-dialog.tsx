import { Button } from '../components/button.tsx';
import { ModalDialog } from '../components/dialog.tsx';
import { messages } from '../messages/en.ts';

/** Keyboard shortcuts of the grid. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  return (
    <ModalDialog title={messages.files.shortcuts} text={messages.files.shortcutsText} isOpen onClose={onClose}>
      <dl className="shortcuts">
        {messages.files.keys.map(([keys, meaning]) => (
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
