import { encodeSegment } from '../../delivery/url.ts';
import { badRequest } from '../../errors.ts';
import { quote } from '../../path.ts';
import { type Exemplified, fieldsOf, type Parameter } from './examples.ts';

/**
 * Returns the path and query of a GET of the document with the values of a form.
 * @param entry undefined for an unknown operation
 * @param values by the names of its required parameters
 * @throws HttpProblem 400 for an operation that a browser cannot open, and for other values than it needs
 */
export function fillPath(entry: Exemplified | undefined, values: Readonly<Record<string, unknown>>): string {
  const fields = entry && fieldsOf(entry);
  if (!fields) throw badRequest('Expected a GET of the API reference in "operation".');
  const other = Object.keys(values).find((name) => !fields.some((field) => field.name === name));
  if (other !== undefined) throw badRequest(`Expected no parameter ${quote(other)}.`);
  const filled = entry.path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const field = fields.find((one) => one.in === 'path' && one.name === name);
    return field ? encodeValue(field, textOf(name, values)) : '';
  });
  const query = fields
    .filter((field) => field.in === 'query')
    .map(({ name }) => `${name}=${encodeURIComponent(textOf(name, values))}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function textOf(name: string, values: Readonly<Record<string, unknown>>): string {
  const value = values[name];
  if (typeof value === 'string' && value !== '') return value;
  throw badRequest(`Expected a value for ${quote(name)}.`);
}

function encodeValue({ name, 'x-multi-segment': isPath }: Parameter, value: string): string {
  const parts = isPath ? value.split('/') : [value];
  // A browser would resolve them, and open another endpoint.
  if (parts.some((part) => part === '.' || part === '..')) {
    throw badRequest(`Expected no "." or ".." in ${quote(name)}, received ${quote(value)}.`);
  }
  // An encoded slash is refused in any path, so it is encoded twice.
  return parts.map((part) => encodeSegment(part.toWellFormed())).join('/');
}
