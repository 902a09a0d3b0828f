import { messages } from '../messages/en.ts';
import { Button } from './button.tsx';
import { copyText } from './copying/copy.ts';
import { lazyComponent } from './lazy-component.tsx';
import type { ConfirmProps, ModalDialogProps } from './modal.tsx';

/** A dialog over the page. Without `onClose` it stays until what it asks for is done. */
export const ModalDialog = lazyComponent<ModalDialogProps>(() => import('./modal.tsx').then(({ Modal }) => Modal));

/** Asks before something is done, and stays open while it is, and when it fails. */
export const Confirm = lazyComponent<ConfirmProps>(() =>
  import('./modal.tsx').then(({ ConfirmModal }) => ConfirmModal),
);

interface ShownOnceProps {
  title: string;
  text: string;
  value: string;
  /** What the button says that copies it. */
  copy: string;
  onClose(): void;
}

/** A secret that nobody can show again: it goes away only when somebody says that it is kept. */
export function ShownOnce({ title, text, value, copy, onClose }: ShownOnceProps) {
  return (
    <ModalDialog title={title} text={text} isOpen>
      <div className="secret">
        <code>{value}</code>
        <Button icon="copy" onPress={() => copyText(value)}>
          {copy}
        </Button>
      </div>
      <div className="dialog-actions">
        <Button variant="main" onPress={onClose}>
          {messages.stored}
        </Button>
      </div>
    </ModalDialog>
  );
}
