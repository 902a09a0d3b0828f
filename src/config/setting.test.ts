import { describe, expect, test } from 'vitest';
import { integer, oneOf, text } from './formats.ts';
import { inSection, listOfSettings, readSettings, setting } from './setting.ts';

const about = 'A setting of this test.';
const tree = {
  mode: setting('MODE', oneOf(['on', 'off']), { default: 'on', about }),
  limits: {
    bytes: setting('SIZE_MB', integer(1, 10), { default: '2', unit: 'MB', about }),
    waitMs: setting('WAIT_HOURS', integer(1, 10), { unit: 'hours', about }),
  },
  secret: setting('SECRET', text('at least 4 characters', 4), { secret: true, about }),
};

function read(environment: NodeJS.ProcessEnv) {
  const lines: string[] = [];
  return { values: readSettings(tree, environment, (line) => lines.push(line)), lines };
}

describe('a tree of settings', () => {
  test('has the values of its variables in its own shape, or their defaults', () => {
    expect(read({ SECRET: 'hidden' })).toEqual({
      values: { mode: 'on', limits: { bytes: 2 * 1024 * 1024, waitMs: undefined }, secret: 'hidden' },
      lines: [],
    });
    expect(read({ MODE: 'off', SIZE_MB: '3', WAIT_HOURS: '2' }).values).toEqual({
      mode: 'off',
      limits: { bytes: 3 * 1024 * 1024, waitMs: 7_200_000 },
      secret: undefined,
    });
  });

  test('reports every wrong variable with its format, and no value of a secret', () => {
    expect(read({ MODE: 'of', SIZE_MB: '11', WAIT_HOURS: 'x', SECRET: 'abc' }).lines).toEqual([
      'MODE: expected one of on, off, received "of"',
      'SIZE_MB: expected a whole number from 1 to 10, received "11"',
      'WAIT_HOURS: expected a whole number from 1 to 10, received "x"',
      'SECRET: expected at least 4 characters, received a value of 3 characters',
    ]);
  });

  test('is listed in its order, with the section of the page', () => {
    inSection('Limits', tree.limits);
    const listed = listOfSettings(tree).map(({ name, section }) => [name, section]);
    expect(listed).toEqual([
      ['MODE', undefined],
      ['SIZE_MB', 'Limits'],
      ['WAIT_HOURS', 'Limits'],
      ['SECRET', undefined],
    ]);
  });
});
