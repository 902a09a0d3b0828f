import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startService } from '../test/service.ts';
import { API_TYPES_FILE, clientApiTypes } from './client-api.ts';

// Writes web/src/api/answers.ts: the types of the answers that the dashboard reads, from the OpenAPI document; and from the same
// document the types of the client.

export const ANSWERS_FILE = join(import.meta.dirname, '..', 'web', 'src', 'api', 'answers.ts');

/** The operations that the dashboard asks for. */
const OPERATIONS = [
  'getSession',
  'signIn',
  'signOut',
  'getSetup',
  'createFirstAccount',
  'getVersion',
  'getReadiness',
  'getStorageStats',
  'recalculateStorageStats',
  'getUsage',
  'clearCache',
  'getHistory',
  'listFolder',
  'listAssets',
  'getAsset',
  'updateAsset',
  'listTags',
  'renameFile',
  'createFolder',
  'invalidateVariants',
  'batch',
  'getLimits',
  'uploadFiles',
  'summariseFolders',
  'createZipTicket',
  'getSettings',
  'listApiKeys',
  'createApiKey',
  'updateApiKey',
  'deleteApiKey',
  'listWebhooks',
  'createWebhook',
  'updateWebhook',
  'deleteWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'listWebhookDeliveries',
  'redeliverToWebhook',
  'listTrash',
  'restoreFromTrash',
  'deleteFromTrash',
  'emptyTrash',
  'listJobs',
  'getQueueStats',
  'getWorkerStats',
  'retryJob',
  'cancelJob',
  'deleteJob',
  'retryJobs',
  'deleteJobs',
  'listSessions',
  'changePassword',
  'updateAccount',
  'endSession',
  'endOtherSessions',
  'listTransformations',
  'signDeliveryUrl',
  'getVideoStatus',
  'getVideoSize',
  'listVersions',
  'restoreVersion',
  'deleteVersion',
  'listDuplicates',
];

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** The whole file. */
export function answerTypes({ paths, components }: Document): string {
  const all = Object.values(paths).flatMap((methods) => Object.values(methods));
  const named = new Set<string>();
  const answers = OPERATIONS.map((id) => {
    const operation = all.find(({ operationId }) => operationId === id);
    if (operation === undefined) throw new Error(`The API has no operation ${id}.`);
    return `  ${id}: ${typeOf(answerOf(operation), named)};`;
  });
  const types: string[] = [];
  // A set that grows while it is walked: what is named may name others.
  for (const name of named) types.push(`export type ${name} = ${typeOf(components.schemas[name] ?? {}, named)};`);
  return `// Written by "npm run docs" from the OpenAPI document; do not edit.\n\n${types.toSorted().join('\n\n')}\n\n/** What each operation answers with. */\nexport interface Answers {\n${answers.join('\n')}\n}\n`;
}

function answerOf({ responses }: Operation): Schema {
  const good = Object.keys(responses).filter((status) => /^2\d\d$/.test(status));
  const schemas = good.map((status) => responses[status]?.content?.['application/json']?.schema);
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema ?? {}])).values()];
  return different.length === 1 ? (different[0] ?? {}) : { anyOf: different };
}

function typeOf({ $ref, const: only, enum: words, anyOf, ...schema }: Schema, named: Set<string>): string {
  if ($ref) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    named.add(name);
    return name;
  }
  if (only !== undefined) return JSON.stringify(only);
  if (words) return words.map((word) => JSON.stringify(word)).join(' | ');
  if (anyOf) return anyOf.map((one) => typeOf(one, named)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => primitive(type)).join(' | ');
  if (schema.type === 'array') return `(${typeOf(schema.items ?? {}, named)})[]`;
  return schema.type === 'object' ? objectOf(schema, named) : primitive(schema.type);
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, named: Set<string>): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, named)}`,
  );
  if (fields.length === 0 && typeof additionalProperties === 'object')
    return `Record<string, ${typeOf(additionalProperties, named)}>`;
  return `{ ${fields.join('; ')} }`;
}

function primitive(type = 'unknown'): string {
  return type === 'integer' ? 'number' : type;
}

if (import.meta.main) {
  const service = await startService();
  const document = await (await fetch(`${service.url}/api/openapi.json`)).text();
  await writeFile(ANSWERS_FILE, answerTypes(JSON.parse(document) as Document));
  await writeFile(API_TYPES_FILE, await clientApiTypes(document));
  await service.close();
}
