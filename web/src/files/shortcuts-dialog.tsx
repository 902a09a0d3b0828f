import { Button } from '../parts/button.tsx';
import { ModalDialog } from '../parts/dialog.tsx';
import { words } from '../words/en.ts';

/** The keys of the grid. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  return (
    <ModalDialog title={words.files.shortcuts} text={words.files.shortcutsText} isOpen onClose={onClose}>
      <dl className="shortcuts">
        {words.files.keys.map(([keys, meaning]) => (
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
        <Button look="main" onPress={onClose}>
          {words.close}
        </Button>
      </div>
    </ModalDialog>
  );
}
