import type { AuditEntry } from '../api/audit.ts';
import { formatBytes, formatMoment } from '../components/format.ts';
import { auditMessages } from '../messages/audit.ts';
import { roleMessages } from '../messages/roles.ts';

/** Name of whoever acted. */
export function actorOf({ type, name, id }: AuditEntry['actor']): string {
  if (name !== null) return name;
  const kind = auditMessages.actorTypes[type];
  return id === null ? kind : `${kind} ${id}`;
}

/**
 * What an entry is about: a path, an address, or the name behind an id.
 * @param names of people and keys, by id
 */
export function subjectOf({ target, detail }: AuditEntry, names: ReadonlyMap<string, string>): string | null {
  if (target === null) return null;
  // Paths have no names, and files may be called like anything.
  const name = names.get(target) ?? (/[/.@]/.test(target) ? undefined : (detail.name ?? detail.origin));
  return typeof name === 'string' ? name : target;
}

/** Names of everything that a filter can choose, grouped by the first part of their actions. */
export function actionFamilies(): { family: string; name: string; actions: { action: string; name: string }[] }[] {
  const all = Object.entries(auditMessages.actions).map(([action, name]) => ({ action, name }));
  const families = Map.groupBy(all, ({ action }) => action.slice(0, action.indexOf('.')));
  return [...families]
    .map(([family, actions]) => ({ family, name: auditMessages.families[family] ?? family, actions }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Details of an entry as names and texts. */
export function factsOf(detail: AuditEntry['detail']): { name: string; text: string }[] {
  return Object.entries(detail).flatMap(([key, value]) => {
    if (value === null || value === undefined || value === '') return [];
    return [{ name: auditMessages.details[key] ?? wordsOf(key), text: textIn(key, value) }];
  });
}

/** `privateFolders` as `Private folders`. */
function wordsOf(key: string): string {
  const words = key.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const DAY = 86_400;
const HOUR = 3600;

function textIn(key: string, value: unknown): string {
  if (key === 'role' && isRole(value)) return roleMessages.name[value];
  if (typeof value === 'number' && key === 'size') return formatBytes(value);
  if (typeof value === 'number' && (key === 'expiresIn' || key === 'keepFor')) return termOf(value);
  return textOf(value);
}

const isRole = (value: unknown): value is keyof typeof roleMessages.name =>
  typeof value === 'string' && Object.hasOwn(roleMessages.name, value);

function termOf(seconds: number): string {
  if (seconds % DAY === 0) return auditMessages.days(seconds / DAY);
  return seconds % HOUR === 0 ? auditMessages.hours(seconds / HOUR) : auditMessages.seconds(seconds);
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? auditMessages.yes : auditMessages.no;
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? formatMoment(value) : value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
