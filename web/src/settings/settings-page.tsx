import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { SearchField } from 'react-aria-components/SearchField';
import { useIsInstallationAdmin } from '../api/access.ts';
import { type Setting, settingsQuery } from '../api/settings.ts';
import type { Answers } from '../api/types.ts';
import { type Density, setDensity, useDensity } from '../components/density.ts';
import { PageHeader } from '../components/page-header.tsx';
import { setShortcuts, useShortcuts } from '../components/shortcuts.ts';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { setTheme, type Theme, useTheme } from '../components/theme.ts';
import { messages } from '../messages/en.ts';
import './settings.css';

/** `/settings`: read-only list of environment variables. */
export function SettingsPage() {
  const enabled = useIsInstallationAdmin();
  const { data, error, refetch } = useQuery({ ...settingsQuery, enabled });
  const [text, setText] = useState('');
  const [isSetOnly, setSetOnly] = useState(false);
  const shown = data?.settings.filter(
    ({ name, isSet }) => name.includes(text.trim().toUpperCase()) && (isSet || !isSetOnly),
  );
  return (
    <div className="page">
      <PageHeader title={messages.settings.title} lead={enabled && messages.settings.lead} documentation="settings" />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {enabled && data === undefined && !error && <Skeleton height={320} />}
      <Browser />
      {data && <Facts settings={data} />}
      {data && (
        <div className="settings-tools">
          <SearchField aria-label={messages.settings.search} value={text} onChange={setText}>
            <Input className="input" placeholder={messages.settings.search} />
          </SearchField>
          <label className="check">
            <input type="checkbox" checked={isSetOnly} onChange={(event) => setSetOnly(event.target.checked)} />
            {messages.settings.setOnly}
          </label>
        </div>
      )}
      {shown?.length === 0 && <Empty icon="search" title={messages.settings.nothing} />}
      {shown !== undefined && shown.length > 0 && <Table settings={shown} />}
    </div>
  );
}

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const DENSITIES: readonly Density[] = ['comfortable', 'compact'];

/** Preferences stored in this browser. */
function Browser() {
  const isOn = useShortcuts();
  const theme = useTheme();
  const density = useDensity();
  return (
    <section className="card settings-browser" aria-label={messages.settings.browser}>
      <h2>{messages.settings.browser}</h2>
      <Choice
        legend={messages.shell.theme}
        name="theme"
        labels={messages.shell.themes}
        values={THEMES}
        value={theme}
        onChange={setTheme}
      />
      <Choice
        legend={messages.settings.density}
        name="density"
        labels={messages.settings.densities}
        values={DENSITIES}
        value={density}
        onChange={setDensity}
      />
      <label className="check">
        <input type="checkbox" checked={isOn} onChange={(event) => setShortcuts(event.target.checked)} />
        <span>
          {messages.settings.shortcuts}
          <span className="quiet">{messages.settings.shortcutsHint}</span>
        </span>
      </label>
    </section>
  );
}

interface ChoiceProps<Value extends string> {
  legend: string;
  name: string;
  labels: Readonly<Record<Value, string>>;
  values: readonly Value[];
  value: Value;
  onChange(value: Value): void;
}

function Choice<Value extends string>({ legend, name, labels, values, value, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset className="settings-choice">
      <legend>{legend}</legend>
      {values.map((one) => (
        <label key={one} className="check">
          <input type="radio" name={name} checked={one === value} onChange={() => onChange(one)} />
          {labels[one]}
        </label>
      ))}
    </fieldset>
  );
}

function Facts({ settings: { storage, deliveryMode, ffmpeg } }: { settings: Answers['getSettings'] }) {
  return (
    <ul className="settings-facts">
      <li className="badge">{messages.settings.storage[storage]}</li>
      <li className="badge">{messages.settings.deliveryMode[deliveryMode]}</li>
      <li className={`badge ${ffmpeg ? '' : 'is-soon'}`}>
        {ffmpeg ? messages.settings.ffmpeg : messages.settings.noFfmpeg}
      </li>
    </ul>
  );
}

function Table({ settings }: { settings: readonly Setting[] }) {
  return (
    <div className="card">
      <table className="settings-table">
        <thead>
          <tr>
            <th scope="col">{messages.settings.name}</th>
            <th scope="col">{messages.settings.value}</th>
            <th scope="col">{messages.settings.standard}</th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => (
            <tr key={setting.name}>
              <th scope="row">
                <code>{setting.name}</code>
              </th>
              <td>{shownValue(setting)}</td>
              <td className="quiet">{setting.default ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function shownValue({ value, isSet, isSecret }: Setting) {
  if (isSecret) return <span className="quiet">{isSet ? messages.settings.secret : '–'}</span>;
  if (value === null || value === '') return <span className="quiet">–</span>;
  return isSet ? <strong>{value}</strong> : value;
}
