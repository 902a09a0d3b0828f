import type { Space } from '../../api/spaces.ts';
import { LongTextField, TextField } from '../../components/field.tsx';
import { textOf } from '../../components/form-text.ts';
import { Section } from '../../components/section.tsx';
import { spaceSettingsMessages } from '../../messages/spaces.ts';
import { RulesForm } from './rules-form.tsx';
import { linesIn } from './values.ts';

/** Name, hosts and state. @param isInside true on the page of the space itself */
export function GeneralSection({ space, isInside }: { space: Space; isInside: boolean }) {
  const { general, ofInstallationNote, none } = spaceSettingsMessages;
  const { id, name, folder, hosts, enabled } = space;
  return (
    <Section title={general.title} text={general.text}>
      <RulesForm
        space={space}
        names={['name', 'hosts', 'enabled']}
        read={(data) => ({
          name: textOf(data, 'name'),
          ...(!isInside && { hosts: linesIn(data, 'hosts'), enabled: data.get('enabled') !== null }),
        })}
      >
        <dl className="page-facts space-facts">
          <div>
            <dt>{general.id}</dt>
            <dd>
              <code>{id}</code>
            </dd>
          </div>
          {folder !== null && (
            <div>
              <dt>{general.folder}</dt>
              <dd>
                <code>{folder}</code>
              </dd>
            </div>
          )}
          {isInside && (
            <div>
              <dt>{general.hosts}</dt>
              <dd>
                {hosts.join(', ') || none} <span className="quiet">{ofInstallationNote}</span>
              </dd>
            </div>
          )}
        </dl>
        <TextField name="name" label={general.name} defaultValue={name} maxLength={100} isRequired />
        {!isInside && (
          <>
            <LongTextField
              name="hosts"
              label={general.hosts}
              hint={general.hostsHint}
              defaultValue={hosts.join('\n')}
              rows={2}
            />
            <label className="option">
              <input type="checkbox" name="enabled" defaultChecked={enabled} />
              <span>
                {general.enabled}
                <small>{general.enabledHint}</small>
              </span>
            </label>
          </>
        )}
      </RulesForm>
    </Section>
  );
}
