import { type FormEvent, useState } from 'react';
import { type FieldErrors, fieldErrorsOf } from './field-errors.ts';

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
  const [errors, setErrors] = useState<FieldErrors>({ fields: {}, rest: undefined });
  const [isBusy, setBusy] = useState(false);
  const submit = async (data: FormData): Promise<void> => {
    setBusy(true);
    setErrors({ fields: {}, rest: undefined });
    try {
      await send(data);
    } catch (error) {
      setErrors(fieldErrorsOf(error, names, codes));
    }
    setBusy(false);
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit(new FormData(event.currentTarget));
  };
  return { fieldErrors: errors.fields, error: errors.rest, isBusy, onSubmit };
}
