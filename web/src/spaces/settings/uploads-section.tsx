import { KINDS } from '../../api/files.ts';
import type { Space } from '../../api/spaces.ts';
import { LongTextField, TextField } from '../../components/field.tsx';
import { Section } from '../../components/section.tsx';
import { spaceSettingsMessages } from '../../messages/spaces.ts';
import { RulesForm } from './rules-form.tsx';
import { bytesIn, bytesText, linesIn } from './values.ts';

const isKind = (type: string) => KINDS.some((kind) => kind === type);

/** Accepted files, and pages of other sites. */
export function UploadsSection({ space }: { space: Space }) {
  const { uploads } = spaceSettingsMessages;
  const { types, maxFileBytes, cors } = space;
  const read = (data: FormData) => {
    const accepted = [...(data.getAll('kind') as string[]), ...linesIn(data, 'types')];
    const origins = linesIn(data, 'cors');
    return {
      types: accepted.length === 0 ? null : accepted,
      maxFileBytes: bytesIn(data, 'maxFileBytes'),
      cors: origins.length === 0 ? null : origins,
    };
  };
  return (
    <Section title={uploads.title} text={uploads.text}>
      <RulesForm space={space} names={['types', 'maxFileBytes', 'cors']} read={read}>
        <fieldset className="options is-row">
          <legend>{uploads.types}</legend>
          {KINDS.map((kind) => (
            <label key={kind} className="option">
              <input type="checkbox" name="kind" value={kind} defaultChecked={types?.includes(kind) ?? false} />
              <span>{uploads.kinds[kind]}</span>
            </label>
          ))}
        </fieldset>
        <TextField
          name="types"
          label={uploads.otherTypes}
          hint={uploads.otherTypesHint}
          defaultValue={types?.filter((type) => !isKind(type)).join(', ') ?? ''}
        />
        <TextField
          name="maxFileBytes"
          label={uploads.maxFile}
          hint={uploads.maxFileHint}
          defaultValue={bytesText(maxFileBytes)}
        />
        <LongTextField
          name="cors"
          label={uploads.cors}
          hint={uploads.corsHint}
          defaultValue={cors?.join('\n') ?? ''}
          rows={2}
        />
      </RulesForm>
    </Section>
  );
}
