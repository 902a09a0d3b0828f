import type { FormEvent } from 'react';
import { toast } from './toasts.tsx';
import { useAction } from './use-action.ts';

/** State of a form while it is submitted. @param done message on success */
export function useForm(send: (data: FormData) => Promise<unknown>, done?: string) {
  const { error, isBusy, run } = useAction();
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    void run(async () => {
      await send(new FormData(form));
      if (done !== undefined) toast(done);
      form.reset();
    });
  };
  return { error, isBusy, onSubmit };
}
