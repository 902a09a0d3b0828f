import { type FormEvent, useState } from 'react';
import { type FieldErrors, fieldErrorsOf } from './field-errors.ts';

const NONE: FieldErrors = { fields: {}, rest: undefined };

/**
 * State of a form whose errors appear at its fields.
 * @param names fields of the form
 * @param codes fields of errors, by code
 */
export function useFieldForm(
  send: (data: FormData) => Promise<unknown>,
  names: readonly string[],
  codes?: Readonly<Record<string, string>>,
) {
  const [errors, setErrors] = useState<FieldErrors>(NONE);
  const [isBusy, setBusy] = useState(false);
  const submit = async (data: FormData): Promise<void> => {
    setBusy(true);
    setErrors(NONE);
    try {
      await send(data);
    } catch (error) {
      setErrors(fieldErrorsOf(error, names, codes));
    }
    setBusy(false);
  };
  /** The browser submits no form with an error: a change ends those of the last try. */
  const onChange = () => setErrors((old) => (old === NONE ? old : NONE));
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit(new FormData(event.currentTarget));
  };
  return { formProps: { validationErrors: errors.fields, onChange, onSubmit }, error: errors.rest, isBusy };
}
