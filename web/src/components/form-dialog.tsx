import type { ReactNode } from 'react';
import { Form } from 'react-aria-components/Form';
import { messages } from '../messages/en.ts';
import { Button } from './button.tsx';
import { ModalDialog } from './dialog.tsx';
import { ErrorNotice } from './states.tsx';
import { useFieldForm } from './use-field-form.ts';

interface FormDialogProps<Result> {
  title: string;
  text?: ReactNode;
  /** Label of the button that submits. */
  action: string;
  /** Fields at which errors are shown. */
  names?: readonly string[];
  /** Fields of errors, by code. */
  codes?: Readonly<Record<string, string>>;
  /** Reason why the form cannot be sent as it is, shown above the buttons. */
  problem?: string | undefined;
  /** Its error is shown when it rejects. */
  onSubmit(data: FormData): Promise<Result>;
  /** Called with the result. Default: closes the dialog. */
  onDone?(result: Result): void;
  onClose(): void;
  children: ReactNode;
}

/** Dialog with a form. It stays open while the form is sent, and when that fails. */
export function FormDialog<Result>(props: FormDialogProps<Result>) {
  const { title, text, action, names = [], codes, problem, onSubmit, onDone, onClose, children } = props;
  const send = async (data: FormData) => {
    const result = await onSubmit(data);
    if (onDone) onDone(result);
    else onClose();
  };
  const { formProps, error, isBusy } = useFieldForm(send, names, codes);
  return (
    <ModalDialog title={title} text={text} isOpen onClose={onClose}>
      <Form className="form" {...formProps}>
        {error !== undefined && <ErrorNotice error={error} />}
        {children}
        {problem !== undefined && (
          <p className="field-error" role="alert">
            {problem}
          </p>
        )}
        <div className="dialog-actions">
          <Button onPress={onClose}>{messages.cancel}</Button>
          <Button type="submit" variant="main" isPending={isBusy} isDisabled={problem !== undefined}>
            {action}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
