import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';

// Reads an OpenAPI document, and prints Redocly's errors and warnings, one per line.

// All of its recommended rules, without exceptions.
const config = await createConfig({ extends: ['recommended'] });
const problems = await lintFromString({ source: await text(process.stdin), absoluteRef: 'openapi.json', config });
for (const { ruleId, message, location } of problems) {
  process.stdout.write(`${ruleId}: ${message} ${location[0]?.pointer}\n`);
}
