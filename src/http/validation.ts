import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { safeParse } from 'zod/v4/core';
import { badRequest } from '../errors.ts';

type Issue = z.core.$ZodIssue;

const MAX_SHOWN = 100;

/** Never shown, not even when they are wrong. */
const SECRETS: readonly PropertyKey[] = ['password', 'token'];

/** Checks what comes in by zod's schemas: 400 says where, what was expected and what was received. */
export const validateByZod: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart = 'body' }) =>
  (data) => {
    const result = safeParse(schema, data, { reportInput: true });
    if (result.success) return { value: result.data };
    return { error: badRequest(result.error.issues.map((issue) => explain(issue, httpPart)).join(' ')) };
  };

function explain(issue: Issue, part: string): string {
  const where = issue.path.length > 0 ? `"${issue.path.join('.')}"` : `the ${part}`;
  if (issue.code === 'custom') return `In ${where}: ${issue.message}.`;
  return `In ${where}: expected ${expected(issue)}, received ${received(issue)}.`;
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
    case 'unrecognized_keys':
      return `no field ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
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
  const text = JSON.stringify(input) ?? String(input);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
