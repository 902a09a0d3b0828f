import { expect, test } from 'vitest';
import { ApiError } from '../api/error.ts';
import { FieldError, fieldErrorsOf } from './field-errors.ts';

const NAMES = ['id', 'folder', 'hosts'];
const refusal = (message: string, code = 'validation_failed') => new ApiError(400, message, { code });

test('messages about parts of a body belong to their fields', () => {
  const error = refusal(
    'In "id": expected the format regex, received "A". In "hosts.0": expected a host, received "-".',
  );
  expect(fieldErrorsOf(error, NAMES)).toEqual({
    fields: { id: 'Expected the format regex, received "A".', hosts: 'Expected a host, received "-".' },
    rest: undefined,
  });
});

test('what belongs to no field is left', () => {
  const error = refusal('In "id": expected text, received 1. In "quota": expected a number, received "x".');
  const { fields, rest } = fieldErrorsOf(error, NAMES);
  expect(fields).toEqual({ id: 'Expected text, received 1.' });
  expect(rest).toEqual(new Error('In "quota": expected a number, received "x".'));
  const other = refusal('The database is unavailable.', 'unavailable');
  expect(fieldErrorsOf(other, NAMES)).toEqual({ fields: {}, rest: other });
});

test('a code can name a field', () => {
  const error = refusal('There is a space "acme" already.', 'name_taken');
  expect(fieldErrorsOf(error, NAMES, { name_taken: 'id' })).toEqual({
    fields: { id: 'There is a space "acme" already.' },
    rest: undefined,
  });
});

test('errors of the page know their field', () => {
  expect(fieldErrorsOf(new FieldError('folder', 'Name a folder.'), NAMES).fields).toEqual({ folder: 'Name a folder.' });
  const error = new Error('Anything else');
  expect(fieldErrorsOf(error, NAMES)).toEqual({ fields: {}, rest: error });
});
