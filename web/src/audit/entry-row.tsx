import type { AuditEntry } from '../api/audit.ts';
import { Button } from '../components/button.tsx';
import { formatAgo, formatMoment } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { auditMessages } from '../messages/audit.ts';
import type { AuditSearch } from './address.ts';
import { actorOf, factsOf, subjectOf } from './describe.ts';

interface EntryRowProps {
  entry: AuditEntry;
  /** Names of people and keys, by id. */
  names: ReadonlyMap<string, string>;
  onFilter(change: AuditSearch): void;
}

/** An entry; its details unfold. */
export function EntryRow({ entry, names, onFilter }: EntryRowProps) {
  const { at, actor, action, target } = entry;
  const subject = subjectOf(entry, names);
  const isRefusal = action === 'permission.denied' || action === 'session.failed';
  return (
    <li className="audit-entry">
      <details>
        <summary>
          <Icon name="chevronRight" size={16} />
          <span className="audit-action">
            <strong className={isRefusal ? 'is-refusal' : undefined}>{auditMessages.actions[action] ?? action}</strong>
            {subject !== null && <span className="quiet">{subject}</span>}
          </span>
          <span>{actorOf(actor)}</span>
          <time className="quiet" dateTime={at} title={formatMoment(at)}>
            {formatAgo(at)}
          </time>
        </summary>
        <Facts entry={entry} />
        <div className="page-actions">
          {actor.id !== null && (
            <Button icon="filter" onPress={() => onFilter({ actor: actor.id ?? undefined })}>
              {auditMessages.onlyActor}
            </Button>
          )}
          {target !== null && (
            <Button icon="filter" onPress={() => onFilter({ target })}>
              {auditMessages.onlyTarget}
            </Button>
          )}
        </div>
      </details>
    </li>
  );
}

function Facts({ entry }: { entry: AuditEntry }) {
  const { at, actor, action, target, detail, address, requestId } = entry;
  const names = auditMessages.facts;
  const facts = [
    { name: names.time, text: formatMoment(at) },
    { name: names.action, text: action, isCode: true },
    { name: names.actor, text: actorOf(actor) },
    { name: names.actorId, text: actor.id, isCode: true },
    { name: names.target, text: target },
    ...factsOf(detail),
    { name: names.address, text: address },
    { name: names.requestId, text: requestId, isCode: true },
  ];
  return (
    <dl className="page-facts audit-facts">
      {facts.map(
        ({ name, text, ...more }) =>
          text !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{'isCode' in more ? <code>{text}</code> : text}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
