import { z } from 'zod';
import { safeParse } from 'zod/v4/core';
import { badRequest } from '../../errors.ts';
import { quote } from '../../path.ts';

type Issue = z.core.$ZodIssue;

/** Maximum of characters of a received value or of unknown keys in a message. */
const MAX_SHOWN = 100;
const MAX_KEYS = 10;

/** Enough to show what is wrong with a body in which everything is. */
const MAX_PROBLEMS = 10;

/** Never shown in a message, not even when invalid. */
const SECRETS: readonly PropertyKey[] = ['password', 'currentPassword', 'newPassword', 'token', 'code'];

/**
 * Validates a part of a request and returns the result of the schema.
 * @param part its name in the message
 * @throws HttpProblem 400 that says where it differs, what was expected and what was received
 */
export function check(schema: z.ZodType, value: unknown, part: string): unknown {
  const result = safeParse(schema, value, { reportInput: true, error: describeIssue });
  if (!result.success) throw badRequest(explainAll(result.error.issues, part), 'validation_failed');
  return result.data;
}

/** Messages that need the schema. One that the schema declares takes precedence. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_format' && issue.format === 'regex') return `expected a text like ${issue.pattern}`;
  if (issue.code !== 'unrecognized_keys') return undefined;
  const unknown = issue.keys.slice(0, MAX_KEYS).map(quote).join(', ');
  const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape).map(quote).join(', ') : '';
  return `expected no field ${unknown}${known && `, only ${known}`}`;
}

function explainAll(issues: readonly Issue[], part: string): string {
  const messages = issues.slice(0, MAX_PROBLEMS).map((issue) => explain(issue, part));
  const left = issues.length - messages.length;
  return [...messages, ...(left > 0 ? [`And ${left} more problems.`] : [])].join(' ');
}

function explain(issue: Issue, part: string): string {
  const where = issue.path.length > 0 ? `"${issue.path.join('.')}"` : `the ${part}`;
  // Values of unknown fields may be secrets.
  if (issue.code === 'custom' || issue.code === 'unrecognized_keys') return `In ${where}: ${issue.message}.`;
  if (issue.code === 'invalid_key') return explainKey(issue, part);
  if (issue.code === 'invalid_format' && issue.format === 'regex')
    return `In ${where}: ${issue.message}, received ${received(issue)}.`;
  return `In ${where}: expected ${expected(issue)}, received ${received(issue)}.`;
}

/** Explains the name of an entry as a value of the object. */
function explainKey({ issues, path }: z.core.$ZodIssueInvalidKey, part: string): string {
  const problems = issues.map((issue) => ({ ...issue, path: path.slice(0, -1), input: path.at(-1) }) as Issue);
  return problems.map((problem) => explain(problem, part)).join(' ');
}

function expected(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected;
    case 'too_small':
      return `at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_value':
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'invalid_format':
      return `the format ${issue.format}`;
    default:
      return 'another value';
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' entries' : '';
}

function received({ input, path }: Issue): string {
  if (input === undefined) return 'nothing';
  if (path.some((name) => SECRETS.includes(name))) return 'something else';
  const text = show(input, MAX_SHOWN);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/**
 * Formats a value as JSON, up to about this number of characters; the rest is not read, at any length. Each level takes
 * at least one character, so that a value of any depth ends.
 */
function show(value: unknown, maxLength: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, maxLength + 1));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value);
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  for (const key in value) {
    if (text.length > maxLength) return text;
    if (text.length > 1) text += ',';
    if (!isList) text += `${show(key, maxLength)}:`;
    text += show((value as Record<string, unknown>)[key], maxLength - text.length);
  }
  return text + (isList ? ']' : '}');
}
