import type { Setting } from '../api/settings.ts';
import { documentationUrlOf } from '../components/documentation.ts';
import { Written } from '../components/written.tsx';
import { messages } from '../messages/en.ts';
import { settingsMessages } from '../messages/settings.ts';
import { summaryOf } from './search.ts';

/** Settings of a section. */
export function SettingsTable({ group, settings }: { group: string; settings: readonly Setting[] }) {
  return (
    <section className="card" aria-label={settingsMessages.group(group)}>
      <div className="card-head">
        <h2>{group}</h2>
      </div>
      <table className="settings-table">
        <colgroup>
          <col />
          <col />
          <col />
          <col />
        </colgroup>
        <thead className="unseen">
          <tr>
            <th scope="col">{settingsMessages.name}</th>
            <th scope="col">{settingsMessages.meaning}</th>
            <th scope="col">{settingsMessages.value}</th>
            <th scope="col">{settingsMessages.standard}</th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => (
            <Row key={setting.name} setting={setting} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ setting }: { setting: Setting }) {
  const { name, documentation } = setting;
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td className="settings-meaning quiet">
        <Written text={summaryOf(setting)} />{' '}
        <a
          href={documentationUrlOf(documentation)}
          target="_blank"
          rel="noreferrer"
          aria-label={messages.documentationOf(name)}
        >
          {messages.documentation}
        </a>
      </td>
      <td>{shownValue(setting)}</td>
      <td className="quiet">{setting.default ?? '–'}</td>
    </tr>
  );
}

function shownValue({ value, isSet, isSecret }: Setting) {
  if (isSecret) return <span className="quiet">{isSet ? settingsMessages.secret : '–'}</span>;
  if (value === null || value === '') return <span className="quiet">–</span>;
  return isSet ? <strong>{value}</strong> : value;
}
