import { readFile } from 'node:fs/promises';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { badRequest } from '../errors.ts';

/** @throws HttpProblem 400 for custom fields that violate the schema */
export type CheckFields = (fields: Record<string, unknown>) => void;

/** Limit of violations named in the error. */
const MAX_PROBLEMS = 10;

/**
 * Reads the JSON Schema (draft 2020-12) of the custom fields.
 * @throws Error that describes the fault in the file, for the operator
 */
export async function readFieldsSchema(file: string | undefined): Promise<CheckFields> {
  if (file === undefined) return () => undefined;
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { default: formats } = await import('ajv-formats');
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  formats.default(ajv);
  const validate = await compile(ajv, file);
  return (fields) => {
    if (validate(fields)) return;
    const problems = (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(({ instancePath, message, params }) => {
      const name = ['fields', ...instancePath.split('/').slice(1)].join('.');
      const extra = 'additionalProperty' in params ? ` (${JSON.stringify(params.additionalProperty)})` : '';
      return `In "${name}": ${message}${extra}.`;
    });
    throw badRequest(problems.join(' '), 'validation_failed');
  };
}

async function compile(ajv: Ajv2020, file: string) {
  try {
    return ajv.compile(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`ASSET_FIELDS_SCHEMA: expected a JSON Schema in ${file}: ${reason}`, { cause });
  }
}
