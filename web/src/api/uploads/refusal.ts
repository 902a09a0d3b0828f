import { messages } from '../../messages/en.ts';
import { formatName, formatNameOf } from '../../messages/format-name.ts';
import { nameOf } from '../paths.ts';
import type { Refusal } from './queue.ts';
import type { Suggestion } from './upload.ts';

/** Codes of refusals that the same file meets again. */
const HOPELESS: ReadonlySet<string> = new Set([
  'bad_request',
  'file_too_large',
  'installation_only',
  'invalid_name',
  'invalid_path',
  'invalid_transformation',
  'limit_exceeded',
  'missing_permission',
  'parameter_out_of_range',
  'payload_too_large',
  'too_many_items',
  'type_mismatch',
  'undecodable_picture',
  'unsupported_type',
  'untransformable',
  'validation_failed',
]);

/** Details of `type_mismatch`. */
interface Mismatch {
  expected: string;
  received: string | null;
  extension: string | null;
}

interface ServiceError {
  message: string;
  code: string;
  details?: unknown;
}

/** Refusal of a file, in words for people. @param name in its folder, including subfolders */
export function refusalOf(
  name: string,
  { message, code, details }: ServiceError,
  replaces = false,
): Omit<Refusal, 'isPassing'> {
  const isHopeless = HOPELESS.has(code);
  if (code !== 'type_mismatch' || !isMismatch(details)) return { error: message, isHopeless };
  // Under another name it would replace nothing.
  const suggestion = replaces ? undefined : suggestionOf(name, details);
  return { error: textOf(name, details, suggestion), isHopeless, ...(suggestion && { suggestion }) };
}

const isMismatch = (details: unknown): details is Mismatch =>
  typeof details === 'object' && details !== null && 'expected' in details && 'received' in details;

function suggestionOf(name: string, { received, extension }: Mismatch): Suggestion | undefined {
  if (received === null || extension === null) return undefined;
  return { name: `${name.slice(0, name.lastIndexOf('.'))}.${extension}`, type: received };
}

function textOf(name: string, { expected, received, extension }: Mismatch, suggestion: Suggestion | undefined): string {
  const { mismatch } = messages.uploads;
  const named = formatNameOf(name);
  const base = nameOf(name);
  if (received === null) return mismatch.unknown(base, `${named} ${kindOf(expected)}`.trim());
  const format = `${formatName(extension ?? subtypeOf(received))} ${kindOf(received)}`.trim();
  return suggestion
    ? mismatch.rename(base, format, named, nameOf(suggestion.name))
    : mismatch.other(base, format, named);
}

const subtypeOf = (type: string) => type.slice(type.indexOf('/') + 1).replace(/[;+].*$/, '');

/** `image` of a MIME type; empty for types without a word of their own. */
const kindOf = (type: string): string =>
  (messages.uploads.mismatch.kinds as Readonly<Record<string, string>>)[type.slice(0, type.indexOf('/'))] ?? '';
