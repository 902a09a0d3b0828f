import { messages } from '../messages/en.ts';
import { Button } from './button.tsx';
import { copyText } from './copy.ts';
import { lazyComponent } from './lazy-component.tsx';
import type { ConfirmProps, ModalDialogProps } from './modal.tsx';

/** Modal dialog. Without `onClose` it cannot be dismissed. */
export const ModalDialog = lazyComponent<ModalDialogProps>(() => import('./modal.tsx').then(({ Modal }) => Modal));

/** Confirmation dialog; stays open while the action runs and when it fails. */
export const Confirm = lazyComponent<ConfirmProps>(() =>
  import('./modal.tsx').then(({ ConfirmModal }) => ConfirmModal),
);

/** From this count on, permanent deletion requires typing the number. */
export const MANY = 50;

interface ShownOnceProps {
  title: string;
  text: string;
  value: string;
  /** Kind of the secret, as in `Copy key`. */
  what: string;
  onClose(): void;
}

/** Shows a secret once: only an explicit confirmation closes it. */
export function ShownOnce({ title, text, value, what, onClose }: ShownOnceProps) {
  return (
    <ModalDialog title={title} text={text} isOpen>
      <div className="secret">
        <code>{value}</code>
        <Button icon="copy" onPress={() => copyText(value, what)}>
          {messages.copy(what)}
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
