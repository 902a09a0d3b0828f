import { type KeyLimits, updateKey } from '../api/keys.ts';
import type { ApiKey } from '../api/types.ts';
import { TextField } from '../components/field.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';
import { changedLimits, DEFAULT_WINDOW_SECONDS, readLimits } from './key-limits.ts';

const DIGITS = { inputMode: 'numeric', pattern: '[0-9]*', autoComplete: 'off' } as const;

/** Fields for quota and rate limit. Empty fields mean no limit. */
export function LimitFields({ remaining = null, rateLimit = null }: Partial<KeyLimits>) {
  return (
    <fieldset className="key-limits">
      <legend>{messages.keys.limitsLegend}</legend>
      <TextField
        name="remaining"
        label={messages.keys.quota}
        hint={messages.keys.quotaHint}
        defaultValue={remaining === null ? '' : String(remaining)}
        {...DIGITS}
      />
      <TextField
        name="max"
        label={messages.keys.rateMax}
        hint={messages.keys.rateMaxHint}
        defaultValue={rateLimit === null ? '' : String(rateLimit.max)}
        {...DIGITS}
      />
      <TextField
        name="window"
        label={messages.keys.rateWindow}
        hint={messages.keys.rateWindowHint}
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
      title={messages.keys.limitsTitle(apiKey.name)}
      action={messages.keys.saveLimits}
      onSubmit={save}
      onClose={onClose}
    >
      <LimitFields remaining={apiKey.remaining} rateLimit={apiKey.rateLimit} />
    </FormDialog>
  );
}
