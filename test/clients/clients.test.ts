import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { API_TYPES_FILE, clientApiTypes } from '../../scripts/client-api.ts';
import { ask } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { CLIENTS, compilePrograms, generateClients, runProgram } from './generate.ts';

const PICTURE = fileURLToPath(new URL('../fixtures/flag-alpha.png', import.meta.url));
const { size } = statSync(PICTURE);

describe.skipIf('missing' in inject('clients'))('the OpenAPI document of a running service', () => {
  let service: TestService;
  let document: string;

  beforeAll(async () => {
    service = await startService({ API_SECRET: 'a-secret-for-signed-urls-of-clients' });
    document = (await ask(service.url, '/api/openapi.json')).body.toString();
    await generateClients(document);
    await compilePrograms();
  });
  afterAll(() => service.close());

  test('has nothing that Redocly complains of, by all of its recommended rules', async () => {
    expect(await runProgram('generated/js/programs/lint.js', [], { input: document })).toBe('');
  });

  test('has nothing either where the URLs of other services are answered', async () => {
    const foreign = await startService({ COMPAT: 'cloudinary,imgproxy' });
    const { body } = await ask(foreign.url, '/api/openapi.json');
    await foreign.close();
    expect(body.toString()).toContain('/{imgproxySignature}/');
    expect(await runProgram('generated/js/programs/lint.js', [], { input: body.toString() })).toBe('');
  });

  test('is what the types of darkroom-client were written from: after a change, npm run docs', async () => {
    expect(await clientApiTypes(document)).toBe(await readFile(API_TYPES_FILE, 'utf8'));
  });

  describe.each(CLIENTS)('makes a client by %s with true types, which', (name) => {
    let seen: Record<string, unknown>;

    beforeAll(async () => {
      const environment = { DARKROOM_URL: service.url, DARKROOM_KEY: TEST_KEY };
      seen = JSON.parse(await runProgram(`generated/js/programs/${name}.js`, [PICTURE], { environment }));
    });

    test('uploads into nested folders, and lists, describes and renames what lies there', () => {
      expect(seen).toMatchObject({
        uploaded: 'trips/rome 1/a+ä.png',
        listed: { folders: [], files: ['trips/rome 1/a+ä.png'] },
        summaries: { 'trips/rome 1': 1, trips: 1 },
        size,
        renamed: 'trips/rome 1/b&c #1.png',
      });
    });

    test('gets originals and variants of them as bytes', () => {
      expect(seen).toMatchObject({ original: size, variant: { type: 'image/webp', isSmall: true } });
    });

    test('signs URLs', () => {
      const url = expect.stringMatching(
        /^\/authenticated\/s--\w+--\d+\/w_10,f_png\/trips\/rome%201\/b%26c%20%231\.png$/,
      );
      expect(seen.signed).toEqual({ url, expires: expect.any(Number) });
    });

    test('knows the code of an error', () => {
      expect(seen).toMatchObject({
        missing: { status: 404, code: 'file_not_found' },
        withoutKey: { status: 401, code: 'unauthorized' },
      });
    });

    test('makes an API key, and uses it', () => {
      expect(seen.keys).toEqual({ permissions: ['read'], listed: expect.arrayContaining(['ci']), status: 200 });
    });

    test('replaces and deletes files', () => {
      expect(seen).toMatchObject({ replaced: size, deleted: true, left: [] });
    });
  });
});
