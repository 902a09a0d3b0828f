import { type FormEvent, useState } from 'react';
import { toast } from '../parts/toasts.tsx';

/** A form that is sent, says when that went well, and shows when it did not. */
export function useForm(send: (data: FormData) => Promise<unknown>, done: string) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    setError(undefined);
    send(new FormData(form))
      .then(() => {
        toast(done);
        form.reset();
      }, setError)
      .finally(() => setBusy(false));
  };
  return { error, isBusy, onSubmit };
}
