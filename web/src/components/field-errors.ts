import { ApiError } from '../api/error.ts';

/** Messages by field, and what belongs to none of them. */
export interface FieldErrors {
  fields: Record<string, string>;
  rest: unknown;
}

/** Error that a page has found in a field itself. */
export class FieldError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** A message of the service about a part of a body begins so. */
const PART = /^In "([\w.]+)": (.)/;

/**
 * Sorts an error to the fields of a form.
 * @param names fields of the form; the service may name a part of one (`hosts.0`)
 * @param codes fields of other errors, by code
 */
export function fieldErrorsOf(
  error: unknown,
  names: readonly string[],
  codes: Readonly<Record<string, string>> = {},
): FieldErrors {
  if (error instanceof FieldError) return { fields: { [error.field]: error.message }, rest: undefined };
  if (!(error instanceof ApiError)) return { fields: {}, rest: error };
  const byCode = codes[error.code];
  if (byCode !== undefined && names.includes(byCode)) return { fields: { [byCode]: error.message }, rest: undefined };
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const part of error.message.split(/(?<=\.) (?=In ")/)) {
    const [, path = '', first = ''] = PART.exec(part) ?? [];
    const name = names.find((one) => path === one || path.startsWith(`${one}.`));
    if (name === undefined) others.push(part);
    else fields[name] ??= part.replace(PART, first.toUpperCase());
  }
  if (others.length === 0) return { fields, rest: undefined };
  return { fields, rest: Object.keys(fields).length === 0 ? error : new Error(others.join(' ')) };
}
