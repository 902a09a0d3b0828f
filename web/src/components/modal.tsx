import { type ReactNode, useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal as AriaModal, ModalOverlay } from 'react-aria-components/Modal';
import { messages } from '../messages/en.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { ErrorNotice, errorMessage } from './states.tsx';
import { useAction } from './use-action.ts';

export interface ModalDialogProps {
  title: string;
  text?: ReactNode;
  isOpen: boolean;
  onClose?: () => void;
  /** True for decisions that cannot be undone. */
  isAlert?: boolean;
  children: ReactNode;
}

/** Implementation of `ModalDialog`. */
export function Modal({ title, text, isOpen, onClose, isAlert, children }: ModalDialogProps) {
  return (
    <ModalOverlay
      className="shade"
      isOpen={isOpen}
      isDismissable={onClose !== undefined && !isAlert}
      isKeyboardDismissDisabled={onClose === undefined}
      onOpenChange={(open) => open || onClose?.()}
    >
      <AriaModal className="modal">
        <Dialog className="dialog" role={isAlert ? 'alertdialog' : 'dialog'}>
          <div>
            <Heading slot="title" level={2} className="dialog-title">
              {title}
            </Heading>
            {text && <div className="dialog-text">{text}</div>}
          </div>
          {children}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}

export interface ConfirmProps {
  title: string;
  text: ReactNode;
  action: string;
  isDangerous?: boolean;
  /** Text to type before confirming. */
  typed?: { value: string; label: string };
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Implementation of `Confirm`. */
export function ConfirmModal({ title, text, action, isDangerous = true, typed, onConfirm, onClose }: ConfirmProps) {
  const [typedText, setTypedText] = useState('');
  const { error, isBusy, run } = useAction();
  const confirm = () => run(() => onConfirm().then(onClose));
  return (
    <Modal title={title} text={text} isOpen isAlert onClose={onClose}>
      {typed && <TextField label={typed.label} value={typedText} onChange={setTypedText} autoFocus />}
      {error !== undefined && <ErrorNotice error={new Error(errorMessage(error))} />}
      <div className="dialog-actions">
        <Button onPress={onClose}>{messages.cancel}</Button>
        <Button
          variant={isDangerous ? 'danger' : 'main'}
          isDisabled={typed !== undefined && typedText !== typed.value}
          isPending={isBusy}
          autoFocus={typed === undefined}
          onPress={confirm}
        >
          {action}
        </Button>
      </div>
    </Modal>
  );
}
