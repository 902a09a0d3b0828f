import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeOfStatus, ERRORS } from '../src/errors.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8');
const codes = Object.keys(ERRORS) as (keyof typeof ERRORS)[];

test('the page of the errors has a row for each code, and no other row', () => {
  const rows = codes.map((code) => `| \`${code}\` | ${ERRORS[code].status} | ${ERRORS[code].meaning} |`);
  expect(PAGE.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
});

test('a code is made of words in lower case, and each is used', () => {
  const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(ROOT, 'src', file), 'utf8'))
    .join('\n');
  expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
  expect(codes.filter((code) => !source.includes(`'${code}'`))).toEqual([]);
});

test('the codes of a status begin with its most general one', () => {
  expect([400, 401, 403, 404, 429, 500, 503].map(codeOfStatus)).toEqual([
    'bad_request',
    'unauthorized',
    'forbidden',
    'not_found',
    'rate_limited',
    'internal_error',
    'unavailable',
  ]);
  expect([415, 599].map(codeOfStatus)).toEqual(['bad_request', 'internal_error']);
});
