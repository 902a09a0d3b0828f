import { useState } from 'react';
import { rotateSpaceSecret, type Space } from '../../api/spaces.ts';
import { Button } from '../../components/button.tsx';
import { ShownOnce } from '../../components/dialog.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { formatMoment } from '../../components/format.ts';
import { Section } from '../../components/section.tsx';
import { messages } from '../../messages/en.ts';
import { spaceSettingsMessages } from '../../messages/spaces.ts';

const TERMS = [0, 3600, 86_400, 604_800, 2_592_000] as const;
const USUAL_TERM = 86_400;

interface Made {
  secret: string;
  text: string;
}

/** Replaces the secret, which signs URLs and uploads. */
export function SecretSection({ space }: { space: Space }) {
  const { secret: texts } = spaceSettingsMessages;
  const [isRotating, setRotating] = useState(false);
  const [made, setMade] = useState<Made>();
  const rotate = async (data: FormData) => {
    const keepFor = Number(data.get('keepFor'));
    const { secret, previousUntil } = await rotateSpaceSecret(space.id, keepFor);
    setMade({ secret, text: keepFor === 0 ? texts.madeTextNow : texts.madeText(formatMoment(previousUntil)) });
  };
  return (
    <Section title={texts.title} text={texts.text}>
      <div>
        <Button icon="refresh" onPress={() => setRotating(true)}>
          {texts.rotate}
        </Button>
      </div>
      {isRotating && (
        <FormDialog
          title={texts.rotateTitle}
          action={texts.rotate}
          onSubmit={rotate}
          onClose={() => setRotating(false)}
        >
          <p className="quiet">{texts.rotateText}</p>
          <fieldset className="options">
            <legend>{texts.keep}</legend>
            {TERMS.map((seconds) => (
              <label key={seconds} className="option">
                <input type="radio" name="keepFor" value={seconds} defaultChecked={seconds === USUAL_TERM} />
                <span>{texts.terms[seconds]}</span>
              </label>
            ))}
          </fieldset>
        </FormDialog>
      )}
      {made && (
        <ShownOnce
          title={texts.made}
          text={made.text}
          value={made.secret}
          what={messages.copies.secret}
          onClose={() => setMade(undefined)}
        />
      )}
    </Section>
  );
}
