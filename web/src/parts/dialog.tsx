import type { ReactNode } from 'react';
import { words } from '../words/en.ts';
import { Button } from './button.tsx';
import { copyText } from './copying/copy.ts';
import { lazyPart } from './lazy-part.tsx';

export interface ModalDialogProps {
  title: string;
  text?: ReactNode;
  isOpen: boolean;
  onClose?: () => void;
  /** It decides something that cannot be undone. */
  isAlert?: boolean;
  children: ReactNode;
}

/** A dialog over the page. Without `onClose` it stays until what it asks for is done. */
export const ModalDialog = lazyPart<ModalDialogProps>(() => import('./modal.tsx').then(({ Modal }) => Modal));

export interface ConfirmProps {
  title: string;
  text: ReactNode;
  act: string;
  isDangerous?: boolean;
  /** What has to be typed first, where much is at stake. */
  typed?: { value: string; label: string };
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something is done, and stays open while it is, and when it fails. */
export const Confirm = lazyPart<ConfirmProps>(() => import('./modal.tsx').then(({ ConfirmModal }) => ConfirmModal));

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
        <Button look="main" onPress={onClose}>
          {words.stored}
        </Button>
      </div>
    </ModalDialog>
  );
}
