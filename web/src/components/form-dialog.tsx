import type { ReactNode } from 'react';
import { Form } from 'react-aria-components/Form';
import { messages } from '../messages/en.ts';
import { Button } from './button.tsx';
import { ModalDialog } from './dialog.tsx';
import { ErrorNotice } from './states.tsx';
import { useForm } from './use-form.ts';

interface FormDialogProps {
  title: string;
  /** Label of the button that submits. */
  action: string;
  /** Closes the dialog when it resolves; its error is shown when it rejects. */
  onSubmit(data: FormData): Promise<unknown>;
  onClose(): void;
  children: ReactNode;
}

export function FormDialog({ title, action, onSubmit, onClose, children }: FormDialogProps) {
  const form = useForm((data) => onSubmit(data).then(onClose));
  return (
    <ModalDialog title={title} isOpen onClose={onClose}>
      <Form className="form" onSubmit={form.onSubmit}>
        {form.error !== undefined && <ErrorNotice error={form.error} />}
        {children}
        <div className="dialog-actions">
          <Button onPress={onClose}>{messages.cancel}</Button>
          <Button type="submit" variant="main" isPending={form.isBusy}>
            {action}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
