import { messages } from '../messages/en.ts';
import { TextField } from './field.tsx';

/** Field for a code of an authenticator app, which `codeIn` reads. */
export function CodeField() {
  return (
    <TextField
      name="code"
      label={messages.field.code}
      hint={messages.field.codeHint}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="\s*(\d\s*){6}"
      isRequired
      autoFocus
    />
  );
}

/** Code of a form, without the spaces in which apps show it. */
export const codeIn = (data: FormData): string => String(data.get('code')).replace(/\s/g, '');
