import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SECTIONS, type Section } from '../../src/config/setting.ts';
import { readConfig } from '../../src/config.ts';
import { ask } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { describeVariables, SECRET_NAMES, SETTING_NAMES } from '../settings.ts';

interface Shown {
  name: string;
  value: string | null;
  default: string | null;
  isSet: boolean;
  isSecret: boolean;
  description: string;
  group: string;
  documentation: string;
}

const SECRET_VALUES = {
  API_SECRET: 'a-secret-of-the-test-service',
  ADMIN_EMAIL: 'ada@example.com',
  ADMIN_PASSWORD: 'a password of the test service',
};

let service: TestService;
beforeAll(async () => {
  service = await startService({
    ...SECRET_VALUES,
    PRESETS: 'thumb=w_200',
    MAX_OUTPUT_SIDE: '5000',
    DELIVERY_MODE: 'presets',
    PUBLIC_URL: 'https://ada:pass-of-a-proxy@media.example.org/files',
    ADMIN_NAME: '',
  });
});
afterAll(() => service.close());

const get = () => ask(service.url, '/settings', { headers: { 'x-api-key': TEST_KEY } });
const list = async () => (await get()).json() as unknown as { settings: Shown[] };
const find = async (name: string) => (await list()).settings.find((one) => one.name === name);

describe('GET /settings', () => {
  test('lists every variable with its value and its default', async () => {
    const answer = await get();
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const { settings, ...rest } = answer.json() as unknown as { settings: Shown[] };
    expect(rest).toEqual({ storage: 'disk', deliveryMode: 'presets', ffmpeg: true, faces: true });
    expect(settings.map(({ name }) => name)).toEqual(SETTING_NAMES);
    const defaults = settings.map(({ name, default: standard }) => [name, standard ?? '']);
    expect(Object.fromEntries(defaults)).toEqual(describeVariables());
    expect(await find('MAX_OUTPUT_SIDE')).toEqual({
      name: 'MAX_OUTPUT_SIDE',
      value: '5000',
      default: '8192',
      isSet: true,
      isSecret: false,
      description: 'Width and height of results.',
      group: 'Limits',
      documentation: 'configuration#limits',
    });
  });

  test('says of each what it does, and which page of the documentation explains it', async () => {
    const { settings } = await list();
    for (const { name, description, group, documentation } of settings) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^\S.*\.$/s)]);
      expect([name, description]).not.toEqual([name, expect.stringMatching(/\]\(/)]);
      const [page = '', anchor] = documentation.split('#');
      const { status, body } = await ask(service.url, `/api/docs/guide/${page}`);
      const isThere = anchor === undefined || body.toString().includes(`id="${anchor}"`);
      expect([name, documentation, status, isThere]).toEqual([name, documentation, 200, true]);
      expect([name, SECTIONS.includes(group as Section)]).toEqual([name, true]);
    }
    expect(await find('TRUSTED_PROXIES')).toMatchObject({ documentation: 'behind-a-proxy#forwarded-headers' });
  });

  test('tells what was not set: the default holds, or nothing; an empty variable is not set', async () => {
    expect(await find('MAX_FILE_SIZE_MB')).toMatchObject({ value: '50', default: '50', isSet: false });
    expect(await find('VIDEO_MEMORY_MB')).toMatchObject({ value: null, default: null, isSet: false });
    expect(await find('ADMIN_NAME')).toMatchObject({ value: 'Admin', default: 'Admin', isSet: false });
  });

  test('never shows a secret, only that it is set', async () => {
    const text = (await get()).body.toString();
    for (const secret of [SECRET_VALUES.API_SECRET, SECRET_VALUES.ADMIN_PASSWORD, TEST_KEY, 'pass-of-a-proxy'])
      expect(text).not.toContain(secret);
    const { settings } = await list();
    const secrets = settings.filter(({ isSecret }) => isSecret);
    expect(secrets.map(({ name }) => name).toSorted()).toEqual(SECRET_NAMES.toSorted());
    expect(secrets.every(({ value, default: standard }) => value === null && standard === null)).toBe(true);
    expect(await find('API_SECRET')).toMatchObject({ isSet: true });
    expect(await find('DATABASE_URL')).toMatchObject({ isSet: false });
    expect(await find('PUBLIC_URL')).toMatchObject({ value: 'https://***@media.example.org/files' });
  });

  test('hides what every secret is set to, wherever it could be shown', () => {
    const marked = Object.fromEntries(
      SECRET_NAMES.map((name) => [name, `marked-secret-${name}-0123456789-0123456789`]),
    );
    const { settings } = readConfig({
      ...marked,
      DATABASE_URL: 'postgres://u:marked-secret@db.example/darkroom',
      DATABASE_SESSION_URL: 'postgres://u:marked-secret@db.example/darkroom',
      CDN_PURGE_URL: 'https://cdn.example/marked-secret',
      CDN_TAGS: 'true',
      COMPAT: 'imgproxy',
      IMGPROXY_KEY: '0badc0de',
      IMGPROXY_SALT: 'deadbeef',
      ADMIN_EMAIL: 'ada@example.com',
      STORAGE_BUCKET_NAME: 'media',
      STORAGE_ACCESS_KEY_ID: 'id',
      OIDC_ISSUER: 'https://id.example',
      OIDC_CLIENT_ID: 'id',
    });
    expect(JSON.stringify(settings)).not.toMatch(/marked-secret|0badc0de|deadbeef/);
    expect(settings.filter(({ isSecret }) => isSecret).every(({ isSet }) => isSet)).toBe(true);
  });
});
