import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFieldsSchema } from './fields-schema.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-fields-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function schemaOf(text: string) {
  const file = join(folder, 'schema.json');
  await writeFile(file, text);
  return readFieldsSchema(file);
}

const SCHEMA = JSON.stringify({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { licence: { enum: ['CC BY', 'none'] }, until: { type: 'string', format: 'date' } },
  required: ['licence'],
  additionalProperties: false,
});

test('without a schema the fields may be anything', async () => {
  const check = await readFieldsSchema(undefined);
  expect(() => check({ anything: [1, { a: null }] })).not.toThrow();
});

test('fields that meet the schema are fine', async () => {
  const check = await schemaOf(SCHEMA);
  expect(() => check({ licence: 'CC BY', until: '2030-01-31' })).not.toThrow();
});

test('fields that do not are 400, with all that is wrong', async () => {
  const check = await schemaOf(SCHEMA);
  expect(() => check({ until: 'later', other: 1 })).toThrow(
    expect.objectContaining({ status: 400, code: 'validation_failed', message: expect.stringMatching(/^In "fields"/) }),
  );
  expect(() => check({ licence: 'mine' })).toThrow('In "fields.licence": must be equal to one of the allowed values.');
  expect(() => check({ licence: 'none', until: 'later' })).toThrow('In "fields.until": must match format "date".');
  expect(() => check({ licence: 'none', other: 1 })).toThrow('("other")');
});

test.each([
  ['no JSON', '{'],
  ['no schema', '{"type": "thing"}'],
  ['a schema with a word that there is not', '{"type": "object", "propertys": {}}'],
])('%s keeps the service from starting', async (_what, text) => {
  await expect(schemaOf(text)).rejects.toThrow(/^ASSET_FIELDS_SCHEMA: expected a JSON Schema in .*schema\.json: /);
});

test('a file that is not there keeps the service from starting', async () => {
  await expect(readFieldsSchema(join(folder, 'none.json'))).rejects.toThrow(/^ASSET_FIELDS_SCHEMA: .*ENOENT/);
});
