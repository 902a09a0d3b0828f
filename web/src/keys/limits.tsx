import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { type KeyLimits, updateKey } from '../api/keys.ts';
import type { ApiKey } from '../api/types.ts';
import { Button } from '../parts/button.tsx';
import { ModalDialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { ErrorNotice } from '../parts/states.tsx';
import { toast } from '../parts/toasts.tsx';
import { words } from '../words/en.ts';
import { changedLimits, DEFAULT_WINDOW_SECONDS, readLimits } from './key-limits.ts';

const DIGITS = { inputMode: 'numeric', pattern: '[0-9]*', autoComplete: 'off' } as const;

/** Fields of the quota and the rate limit of a key. Empty fields mean no limit. */
export function LimitFields({ remaining = null, rateLimit = null }: Partial<KeyLimits>) {
  return (
    <fieldset className="key-limits">
      <legend>{words.keys.limitsLegend}</legend>
      <TextField
        name="remaining"
        label={words.keys.quota}
        hint={words.keys.quotaHint}
        defaultValue={remaining === null ? '' : String(remaining)}
        {...DIGITS}
      />
      <TextField
        name="max"
        label={words.keys.rateMax}
        hint={words.keys.rateMaxHint}
        defaultValue={rateLimit === null ? '' : String(rateLimit.max)}
        {...DIGITS}
      />
      <TextField
        name="window"
        label={words.keys.rateWindow}
        hint={words.keys.rateWindowHint}
        defaultValue={String(rateLimit?.window ?? DEFAULT_WINDOW_SECONDS)}
        {...DIGITS}
      />
    </fieldset>
  );
}

interface LimitsDialogProps {
  apiKey: ApiKey;
  onChanged(): void;
  onClose(): void;
}

/** Changes the limits of a key. */
export function LimitsDialog({ apiKey, onChanged, onClose }: LimitsDialogProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const save = async (data: FormData) => {
    const change = changedLimits(apiKey, readLimits(data));
    if (Object.keys(change).length > 0) {
      const { message } = await updateKey(apiKey.id, change);
      toast(message);
      onChanged();
    }
    onClose();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    save(new FormData(event.currentTarget)).catch((problem) => {
      setError(problem);
      setBusy(false);
    });
  };
  return (
    <ModalDialog title={words.keys.limitsTitle(apiKey.name)} isOpen onClose={onClose}>
      <Form className="form" onSubmit={submit}>
        {error !== undefined && <ErrorNotice error={error} />}
        <LimitFields remaining={apiKey.remaining} rateLimit={apiKey.rateLimit} />
        <div className="dialog-actions">
          <Button onPress={onClose}>{words.cancel}</Button>
          <Button type="submit" look="main" isPending={isBusy}>
            {words.keys.saveLimits}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
