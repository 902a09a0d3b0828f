import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { runProgram } from './run-program.ts';

let service: TestService;
let document: string;

describe.skipIf('missing' in inject('clients'))('the OpenAPI document of a running service', () => {
  beforeAll(async () => {
    service = await startService();
    document = await (await fetch(`${service.url}/api/openapi.json`)).text();
  });
  afterAll(() => service.close());

  test('has nothing that Redocly complains of, by all of its recommended rules', async () => {
    expect(await runProgram('programs/lint.ts', [], document)).toBe('');
  });
});
