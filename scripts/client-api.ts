import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLIENTS_FOLDER, runProgram } from '../test/clients/generate.ts';
import { installPackages } from '../test/packages.ts';
import { startService } from '../test/service.ts';

// Writes packages/client/src/api-types.ts: the types of the API, for darkroom-client and the dashboard, from the
// OpenAPI document.

export const API_TYPES_FILE = join(import.meta.dirname, '..', 'packages', 'client', 'src', 'api-types.ts');

const HEADER = '// Written by "npm run docs" from the OpenAPI document; do not edit.\n\n';

interface Answer {
  content?: Record<string, { schema?: unknown }>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Answer> }>>;
}

/**
 * Returns the whole file. Installs the packages that generate it, which otherwise only the tests need.
 * @param document the OpenAPI document, as JSON
 */
export async function clientApiTypes(document: string): Promise<string> {
  await installPackages(CLIENTS_FOLDER);
  const { paths, ...rest } = JSON.parse(document) as Document;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    operation.responses = withOneError(operation.responses);
  }
  return HEADER + (await runProgram('programs/types.ts', [], { input: JSON.stringify({ ...rest, paths }) }));
}

/**
 * Merges the error responses, which a client gets as `error`: one type instead of ten shortens the file by two thirds.
 */
function withOneError(responses: Record<string, Answer>): Record<string, Answer> {
  const all = Object.entries(responses);
  const good = all.filter(([status]) => Number(status) < 400);
  const errors = all.filter(([status]) => Number(status) >= 400);
  const schemas = errors.flatMap(([, { content = {} }]) => Object.values(content).map(({ schema }) => schema));
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const error = { description: 'An error.', content: { 'application/json': { schema: { anyOf: different } } } };
  return { ...Object.fromEntries(good), default: error };
}

if (import.meta.main) {
  const service = await startService();
  const document = await (await fetch(`${service.url}/api/openapi.json`)).text();
  await writeFile(API_TYPES_FILE, await clientApiTypes(document));
  await service.close();
}
