import { type ReactNode, useRef, useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal as AriaModal, ModalOverlay } from 'react-aria-components/Modal';
import { useIsSessionLost } from '../api/session-state.ts';
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
  /** True for the dialog that signs in again. */
  isSignIn?: boolean;
  children: ReactNode;
}

/** Implementation of `ModalDialog`. */
export function Modal({ title, text, isOpen, onClose, isAlert, isSignIn = false, children }: ModalDialogProps) {
  const mayOpen = useTurn(isOpen) || isSignIn;
  return (
    <ModalOverlay
      className="shade"
      isOpen={isOpen && mayOpen}
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

/**
 * False while a dialog has to wait for the sign-in that a lost session needs. Opened later than that one, it would be
 * above it and inert, so that neither has the focus.
 */
function useTurn(isOpen: boolean): boolean {
  const isLost = useIsSessionLost();
  const wasOpen = useRef(false);
  wasOpen.current = isOpen && (!isLost || wasOpen.current);
  return wasOpen.current;
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
  const isReady = typed === undefined || typedText === typed.value;
  const confirm = () => run(() => onConfirm().then(onClose));
  return (
    <Modal title={title} text={text} isOpen isAlert onClose={onClose}>
      {typed && (
        <TextField
          label={typed.label}
          value={typedText}
          onChange={setTypedText}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && isReady && !isBusy) void confirm();
            else event.continuePropagation();
          }}
          autoFocus
        />
      )}
      {error !== undefined && <ErrorNotice error={new Error(errorMessage(error))} />}
      <div className="dialog-actions">
        <Button onPress={onClose}>{messages.cancel}</Button>
        <Button
          variant={isDangerous ? 'danger' : 'main'}
          isDisabled={!isReady}
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
