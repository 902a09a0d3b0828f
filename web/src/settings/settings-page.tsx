import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { SearchField } from 'react-aria-components/SearchField';
import { useIsInstallationAdmin } from '../api/access.ts';
import { settingsQuery } from '../api/settings.ts';
import type { Answers } from '../api/types.ts';
import { type Density, setDensity, useDensity } from '../components/density.ts';
import { PageHeader } from '../components/page-header.tsx';
import { setShortcuts, useShortcuts } from '../components/shortcuts.ts';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { setTheme, type Theme, useTheme } from '../components/theme.ts';
import { messages } from '../messages/en.ts';
import { settingsMessages } from '../messages/settings.ts';
import { settingsFound } from './search.ts';
import { SettingsTable } from './settings-table.tsx';
import './settings.css';

/** `/settings`: read-only list of environment variables. */
export function SettingsPage() {
  const enabled = useIsInstallationAdmin();
  const { data, error, refetch } = useQuery({ ...settingsQuery, enabled });
  const [text, setText] = useState('');
  const [isSetOnly, setSetOnly] = useState(false);
  const shown = data && settingsFound(data.settings, text, isSetOnly);
  return (
    <div className="page">
      <PageHeader title={settingsMessages.title} lead={enabled && settingsMessages.lead} documentation="settings" />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {enabled && data === undefined && !error && <Skeleton height={320} />}
      <Browser />
      {data && <Facts settings={data} />}
      {data && (
        <div className="settings-tools">
          <SearchField aria-label={settingsMessages.search} value={text} onChange={setText}>
            <Input className="input" placeholder={settingsMessages.search} />
          </SearchField>
          <label className="check">
            <input type="checkbox" checked={isSetOnly} onChange={(event) => setSetOnly(event.target.checked)} />
            {settingsMessages.setOnly}
          </label>
        </div>
      )}
      {shown?.length === 0 && <Empty icon="search" title={settingsMessages.nothing} />}
      {shown?.map(([group, settings]) => (
        <SettingsTable key={group} group={group} settings={settings} />
      ))}
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
    <section className="card settings-browser" aria-label={settingsMessages.browser}>
      <h2>{settingsMessages.browser}</h2>
      <Choice
        legend={messages.shell.theme}
        name="theme"
        labels={messages.shell.themes}
        values={THEMES}
        value={theme}
        onChange={setTheme}
      />
      <Choice
        legend={settingsMessages.density}
        name="density"
        labels={settingsMessages.densities}
        values={DENSITIES}
        value={density}
        onChange={setDensity}
      />
      <label className="check">
        <input type="checkbox" checked={isOn} onChange={(event) => setShortcuts(event.target.checked)} />
        <span>
          {settingsMessages.shortcuts}
          <span className="quiet">{settingsMessages.shortcutsHint}</span>
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
      <li className="badge">{settingsMessages.storage[storage]}</li>
      <li className="badge">{settingsMessages.deliveryMode[deliveryMode]}</li>
      <li className={`badge ${ffmpeg ? '' : 'is-soon'}`}>
        {ffmpeg ? settingsMessages.ffmpeg : settingsMessages.noFfmpeg}
      </li>
    </ul>
  );
}
