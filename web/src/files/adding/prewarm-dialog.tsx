import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRootName } from '../../api/access.ts';
import { root } from '../../api/base.ts';
import { nameOf } from '../../api/paths.ts';
import { transformationsQuery } from '../../api/playground.ts';
import type { Answers } from '../../api/types.ts';
import { LongTextField } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { prewarmingMessages } from '../../messages/prewarming.ts';
import { MOST, prewarmingOf, rememberPrewarming, transformationsIn, unknownOf } from './prewarming.ts';

interface PrewarmDialogProps {
  folder: string;
  onClose(): void;
}

/** Dialog for the variants to prepare on upload to a folder. */
export function PrewarmDialog({ folder, onClose }: PrewarmDialogProps) {
  const { data, error, refetch } = useQuery(transformationsQuery);
  const [text, setText] = useState(() => prewarmingOf(root, folder).join('\n'));
  const save = async () => {
    const chosen = transformationsIn(text);
    const problem = problemOf(chosen, data);
    if (problem !== undefined) throw new Error(problem);
    rememberPrewarming(root, folder, chosen);
    toast(prewarmingMessages.saved(chosen.length));
  };
  const rootName = useRootName();
  return (
    <FormDialog
      title={prewarmingMessages.title(nameOf(folder) || rootName)}
      text={prewarmingMessages.text}
      action={prewarmingMessages.save}
      onSubmit={save}
      onClose={onClose}
    >
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {data !== undefined && data.presets.length > 0 && <Presets presets={data.presets} text={text} onText={setText} />}
      <LongTextField
        label={prewarmingMessages.transformations}
        hint={prewarmingMessages.hint(MOST)}
        value={text}
        onChange={setText}
        rows={5}
        spellCheck="false"
        autoFocus
      />
    </FormDialog>
  );
}

type Listing = Answers['listTransformations'];

/** Presets as checkboxes that edit the lines. */
function Presets(props: { presets: Listing['presets']; text: string; onText(text: string): void }) {
  const { presets, text, onText } = props;
  const chosen = transformationsIn(text);
  const choose = (segment: string, isChosen: boolean) =>
    onText((isChosen ? [...chosen, segment] : chosen.filter((one) => one !== segment)).join('\n'));
  return (
    <fieldset className="options is-row">
      <legend>{prewarmingMessages.presets}</legend>
      {presets.map(({ name, transformation }) => (
        <label key={name} className="option">
          <input
            type="checkbox"
            checked={chosen.includes(`n_${name}`)}
            onChange={({ target }) => choose(`n_${name}`, target.checked)}
          />
          <span>
            {name}
            <small>{transformation}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Validation errors that can be found before the upload. */
function problemOf(chosen: readonly string[], listing: Listing | undefined): string | undefined {
  if (chosen.length > MOST) return prewarmingMessages.tooMany(chosen.length, MOST);
  if (listing === undefined) return undefined;
  const keys = new Set([...listing.image, ...listing.video].flatMap(({ key, aliases }) => [key, ...aliases]));
  // Presets stand alone and are not listed as parameters.
  const unknown = unknownOf(chosen, keys.add('n'));
  return unknown.length > 0 ? prewarmingMessages.unknown(unknown.join(' ')) : undefined;
}
