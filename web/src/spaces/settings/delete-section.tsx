import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { filesChanged } from '../../api/batch.ts';
import { deleteSpace, type Space } from '../../api/spaces.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toasts.tsx';
import { spaceSettingsMessages } from '../../messages/spaces.ts';

type Files = 'keep' | 'trash';

/** Deletes a space. Its files stay, or go to the trash. */
export function DeleteSection({ space: { id, name } }: { space: Space }) {
  const { remove: texts } = spaceSettingsMessages;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [files, setFiles] = useState<Files>('keep');
  const [isConfirming, setConfirming] = useState(false);
  const remove = async () => {
    await deleteSpace(id, files);
    toast(texts.done(name));
    filesChanged();
    await navigate({ to: '/spaces' });
    client.removeQueries({ queryKey: ['spaces', 'one', id] });
    await client.invalidateQueries({ queryKey: ['spaces'] });
  };
  return (
    <Section title={texts.title} text={texts.text}>
      <div>
        <Button variant="danger" icon="trash" onPress={() => setConfirming(true)}>
          {texts.action}
        </Button>
      </div>
      {isConfirming && (
        <Confirm
          title={texts.confirmTitle(name)}
          text={
            <>
              <p>{texts.text}</p>
              <fieldset className="options space-files">
                <legend>{texts.files}</legend>
                {(['keep', 'trash'] as const).map((one) => (
                  <label key={one} className="option">
                    <input type="radio" name="files" checked={one === files} onChange={() => setFiles(one)} />
                    <span>
                      {texts[one][0]}
                      <small>{texts[one][1]}</small>
                    </span>
                  </label>
                ))}
              </fieldset>
            </>
          }
          action={texts.action}
          typed={{ value: id, label: texts.typed(id) }}
          onConfirm={remove}
          onClose={() => setConfirming(false)}
        />
      )}
    </Section>
  );
}
