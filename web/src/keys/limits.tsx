import { type KeyLimits, updateKey } from '../api/keys.ts';
import type { ApiKey } from '../api/types.ts';
import { TextField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
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
  const save = async (data: FormData) => {
    const change = changedLimits(apiKey, readLimits(data));
    if (Object.keys(change).length === 0) return;
    const { message } = await updateKey(apiKey.id, change);
    toast(message);
    onChanged();
  };
  return (
    <FormDialog
      title={words.keys.limitsTitle(apiKey.name)}
      action={words.keys.saveLimits}
      onSubmit={save}
      onClose={onClose}
    >
      <LimitFields remaining={apiKey.remaining} rateLimit={apiKey.rateLimit} />
    </FormDialog>
  );
}
