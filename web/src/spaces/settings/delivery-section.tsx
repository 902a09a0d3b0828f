import { useState } from 'react';
import { LIBRARY, type Space, type SpacePatch } from '../../api/spaces.ts';
import { LongTextField } from '../../components/field.tsx';
import { Section } from '../../components/section.tsx';
import { spaceSettingsMessages } from '../../messages/spaces.ts';
import { RulesForm } from './rules-form.tsx';
import { presetsIn, presetsText } from './values.ts';

type Mode = NonNullable<Space['delivery']>;

const MODES = ['default', 'open', 'presets', 'signed'] as const satisfies readonly (Mode | 'default')[];

/** Who gets which files. Of the library only the originals: its mode is a setting of the server. */
export function DeliverySection({ space }: { space: Space }) {
  const { delivery } = spaceSettingsMessages;
  const isLibrary = space.id === LIBRARY;
  const [mode, setMode] = useState<Mode | 'default'>(space.delivery ?? 'default');
  const read = (data: FormData): SpacePatch => {
    const originals = data.get('originals') === null ? null : 'protected';
    if (isLibrary) return { originals };
    return { originals, delivery: mode === 'default' ? null : mode, presets: presetsIn(data, 'presets') };
  };
  return (
    <Section title={delivery.title} text={delivery.text}>
      <RulesForm space={space} names={['delivery', 'originals', 'presets']} read={read}>
        {!isLibrary && (
          <fieldset className="options">
            <legend>{delivery.mode}</legend>
            {MODES.map((one) => (
              <label key={one} className="option">
                <input type="radio" name="delivery" checked={one === mode} onChange={() => setMode(one)} />
                <span>
                  {delivery.modes[one][0]}
                  <small>{delivery.modes[one][1]}</small>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        <label className="option">
          <input type="checkbox" name="originals" defaultChecked={space.originals === 'protected'} />
          <span>
            {delivery.originals}
            <small>{delivery.originalsHint}</small>
          </span>
        </label>
        {!isLibrary && (
          <LongTextField
            name="presets"
            label={delivery.presets}
            hint={delivery.presetsHint}
            defaultValue={presetsText(space.presets)}
            spellCheck="false"
            rows={4}
          />
        )}
      </RulesForm>
    </Section>
  );
}
