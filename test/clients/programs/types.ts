import { text } from 'node:stream/consumers';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

// Reads an OpenAPI document, and prints its types for openapi-fetch. Bytes are `Blob`.

const BLOB = ts.factory.createTypeReferenceNode('Blob');

/** Only schemas with a type reach `transform`. */
const withType = (_name: string, value: unknown) =>
  value instanceof Object && 'format' in value && value.format === 'binary' ? { ...value, type: 'string' } : value;

const types = await openapiTS(JSON.parse(await text(process.stdin), withType), {
  transform: ({ format }) => (format === 'binary' ? BLOB : undefined),
});
process.stdout.write(astToString(types));
