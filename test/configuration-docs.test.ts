import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configurationPage } from '../scripts/configuration.ts';
import { readConfig } from '../src/config.ts';
import { describeVariables } from './settings.ts';

test('docs/configuration.md is generated from the declarations of the settings', async () => {
  expect(await page('configuration.md')).toBe(configurationPage());
});

test('docs/configuration.md names every variable with its default, and no other', async () => {
  const rows = (await page('configuration.md')).split('\n').flatMap((line) => {
    const [, names = '', standard = ''] = line.split('|').map((cell) => cell.trim());
    const found = [...names.matchAll(/`([A-Z][A-Z_]+)`/g)].map((match) => match[1] ?? '');
    return found.map((name): [string, string] => [name, standard.replaceAll('`', '')]);
  });
  expect(Object.fromEntries(rows)).toEqual(describeVariables());
});

describe('docs/deployment.md', () => {
  const deployment = () => page('deployment.md');

  test('says first what the rate limit does to a public site, with settings that are good', async () => {
    const [, first = ''] = (await deployment()).split(/^## /m);
    expect(first).toContain(`${readConfig({}).http.rateLimit.max} requests a minute`);
    const settings = [...first.matchAll(/^([A-Z_]+)=(\S+)/gm)].map(([, name = '', value = '']) => [name, value]);
    expect(settings.map(([name]) => name)).toContain('PUBLIC_RATE_LIMIT_MAX');
    expect(Object.keys(describeVariables())).toEqual(expect.arrayContaining(settings.map(([name]) => name)));
    expect(readConfig(Object.fromEntries(settings)).http.rateLimit.max).toBeGreaterThan(1000);
  });
});

function page(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, '..', 'docs', name), 'utf8');
}
