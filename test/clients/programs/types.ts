import { text } from 'node:stream/consumers';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

// Reads an OpenAPI document, and prints its types for openapi-fetch. Bytes are `Blob`.

const BLOB = ts.factory.createTypeReferenceNode('Blob');

const types = await openapiTS(JSON.parse(await text(process.stdin)), {
  transform: ({ format }) => (format === 'binary' ? BLOB : undefined),
});
process.stdout.write(astToString(types));
