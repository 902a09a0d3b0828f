import { type FormEvent, useState } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField, type TextFieldProps } from 'react-aria-components/TextField';
import { messages } from '../messages/en.ts';
import { Button } from './button.tsx';

interface FieldText {
  label: string;
  hint?: string;
}

/** Text field with a label; validation errors are shown below. */
export function TextField({
  label,
  hint,
  placeholder,
  ...rest
}: TextFieldProps & FieldText & { placeholder?: string }) {
  return (
    <AriaTextField className="field" {...rest}>
      <Label>{label}</Label>
      <Input className="input" placeholder={placeholder} onInput={endMendedError} />
      <Below hint={hint} />
    </AriaTextField>
  );
}

export function LongTextField({ label, hint, rows = 3, ...rest }: TextFieldProps & FieldText & { rows?: number }) {
  return (
    <AriaTextField className="field" {...rest}>
      <Label>{label}</Label>
      <TextArea className="input" rows={rows} onInput={endMendedError} />
      <Below hint={hint} />
    </AriaTextField>
  );
}

/** Password field with a button to show its value. */
export function PasswordField({ label, hint, ...rest }: TextFieldProps & FieldText) {
  const [isShown, setShown] = useState(false);
  return (
    <AriaTextField className="field" type={isShown ? 'text' : 'password'} {...rest}>
      <Label>{label}</Label>
      <div className="input-group">
        <Input className="input" onInput={endMendedError} />
        <Button
          variant="plain"
          icon={isShown ? 'eyeOff' : 'eye'}
          aria-label={isShown ? messages.field.hidePassword : messages.field.showPassword}
          onPress={() => setShown(!isShown)}
        />
      </div>
      <Below hint={hint} />
    </AriaTextField>
  );
}

/**
 * Removes the error of a field as soon as its value is valid. React Aria waits until the field is left: the line then
 * collapses below the pointer, and the click on the button that moved is lost.
 */
function endMendedError({ currentTarget: input }: FormEvent<HTMLInputElement | HTMLTextAreaElement>): void {
  if (input.getAttribute('aria-invalid') !== 'true') return;
  // React Aria reads the validity after it has rendered the new value.
  setTimeout(() => input.validity.valid && input.dispatchEvent(new Event('change', { bubbles: true })));
}

/** Minimum of the service. */
const MIN_PASSWORD = 8;

/** Field for a new password. */
export function NewPasswordField({ name, label }: { name: string; label: string }) {
  return (
    <PasswordField
      name={name}
      label={label}
      hint={messages.setup.passwordHint}
      autoComplete="new-password"
      minLength={MIN_PASSWORD}
      isRequired
    />
  );
}

function Below({ hint }: { hint: string | undefined }) {
  return (
    <>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError
        className={({ validationDetails }) => `field-error${validationDetails.tooShort ? ' is-short' : ''}`}
      />
    </>
  );
}
