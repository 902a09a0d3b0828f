import { type FormEvent, useState } from 'react';
import { toast } from './toasts.tsx';

/** State of a form while it is submitted. @param done message on success */
export function useForm(send: (data: FormData) => Promise<unknown>, done?: string) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    setError(undefined);
    send(new FormData(form))
      .then(() => {
        if (done !== undefined) toast(done);
        form.reset();
      }, setError)
      .finally(() => setBusy(false));
  };
  return { error, isBusy, onSubmit };
}
