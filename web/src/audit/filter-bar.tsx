import { type FormEvent, useEffect, useState } from 'react';
import type { AuditEntry } from '../api/audit.ts';
import { Button } from '../components/button.tsx';
import { DayField } from '../components/day-field.tsx';
import { auditMessages } from '../messages/audit.ts';
import { type AuditSearch, isFiltered, readAuditSearch } from './address.ts';
import { actionFamilies, actorOf } from './describe.ts';
import type { Actors } from './use-actors.ts';

interface FilterBarProps {
  search: AuditSearch;
  actors: Actors;
  /** Shown entries, which may name people and keys that are gone. */
  entries: readonly AuditEntry[];
  onChange(search: AuditSearch): void;
}

export function FilterBar({ search, actors, entries, onChange }: FilterBarProps) {
  const [draft, setDraft] = useState(search);
  // Buttons of the entries change the filter too.
  useEffect(() => setDraft(search), [search]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onChange(readAuditSearch({ ...draft }));
  };
  // A choice applies immediately; typed values with the button or Enter.
  const choose = (change: AuditSearch) => onChange(readAuditSearch({ ...draft, ...change }));
  const { action, actor, target, from, to } = draft;
  return (
    <form className="audit-filter" onSubmit={submit}>
      <label>
        <span>{auditMessages.action}</span>
        <select
          className="input is-small"
          value={action ?? ''}
          onChange={({ currentTarget }) => choose({ action: currentTarget.value })}
        >
          <option value="">{auditMessages.anyAction}</option>
          {actionFamilies().map(({ family, name, actions }) => (
            <optgroup key={family} label={name}>
              {actions.length > 1 && <option value={family}>{auditMessages.allOf(name)}</option>}
              {actions.map((one) => (
                <option key={one.action} value={one.action}>
                  {one.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <ActorField actor={actor} actors={actors} entries={entries} onChoose={choose} />
      <label>
        <span>{auditMessages.target}</span>
        <input
          className="input is-small"
          value={target ?? ''}
          onChange={({ currentTarget }) => setDraft({ ...draft, target: currentTarget.value })}
          placeholder={auditMessages.targetHint}
          autoComplete="off"
          maxLength={4096}
        />
      </label>
      <DayField label={auditMessages.from} day={from} onDay={(day) => setDraft({ ...draft, from: day })} />
      <DayField label={auditMessages.to} day={to} onDay={(day) => setDraft({ ...draft, to: day })} />
      <div className="page-actions">
        <Button type="submit" icon="filter">
          {auditMessages.apply}
        </Button>
        {isFiltered(search) && (
          <Button variant="plain" onPress={() => onChange({})}>
            {auditMessages.clear}
          </Button>
        )}
      </div>
    </form>
  );
}

interface ActorFieldProps extends Pick<FilterBarProps, 'entries' | 'actors'> {
  actor: string | undefined;
  onChoose(change: AuditSearch): void;
}

function ActorField({ actor, actors: { people, keys, names }, entries, onChoose }: ActorFieldProps) {
  const former = entries.find((entry) => entry.actor.id === actor)?.actor;
  const groups = [
    { label: auditMessages.people, actors: people },
    { label: auditMessages.keys, actors: keys },
  ];
  return (
    <label>
      <span>{auditMessages.actor}</span>
      <select
        className="input is-small"
        value={actor ?? ''}
        onChange={({ currentTarget }) => onChoose({ actor: currentTarget.value })}
      >
        <option value="">{auditMessages.anyActor}</option>
        {actor !== undefined && !names.has(actor) && <option value={actor}>{former ? actorOf(former) : actor}</option>}
        {groups.map(
          ({ label, actors }) =>
            actors.length > 0 && (
              <optgroup key={label} label={label}>
                {actors.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </optgroup>
            ),
        )}
      </select>
    </label>
  );
}
