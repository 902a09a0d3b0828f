import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { loggedUrl } from './http/observe/request-log.ts';
import { createLog } from './log.ts';
import { quote } from './path.ts';
import { plain, plainLines } from './runtime/printable.ts';

const HOSTILE = 'a\x1b]0;title\x07\x7f\x9b31m\u202egnp.\u2066b\u200b\ufeff\u2028\u{e0041}c';
/** Control characters and invisible ones. The line feed is that of the log itself. */
const OBEYED = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/u;

test('a line of the log has no character that a terminal obeys, and reads as the same', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(line) });
  log.info({ path: HOSTILE, err: new Error(HOSTILE) }, HOSTILE);
  const [line = ''] = lines;
  expect(OBEYED.exec(line)?.[0]).toBeUndefined();
  expect(JSON.parse(line)).toMatchObject({ path: HOSTILE, msg: HOSTILE, err: { message: HOSTILE } });
});

test('a line for people shows such characters as escapes', async () => {
  const program = `
    import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)};
    const log = createLog({ level: 'info', format: 'pretty' });
    const hostile = ${JSON.stringify(HOSTILE)};
    log.info({ path: hostile, other: 'a\\\\u001b', err: new Error(hostile + '\\nDone.') }, hostile);
    log.lines.write(JSON.stringify({ level: 30, time: 0, url: hostile, msg: 'request' }) + '\\n');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { env: { NO_COLOR: '1' } });
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  expect(OBEYED.exec(stdout)?.[0]).toBeUndefined();
  expect(stdout).toContain(
    'a\\u001b]0;title\\u0007\\u007f\\u009b31m\\u202egnp.\\u2066b\\u200b\\ufeff\\u2028\\udb40\\udc41c',
  );
  // A text with line breaks is indented, so that it cannot pass for another line of the log.
  expect(stdout.split('\n').filter((line) => line !== '')).toEqual(
    expect.arrayContaining([expect.stringMatching(/^\[/), expect.stringMatching(/^ +Done\./)]),
  );
});

/** Runs a program that writes 1,000 numbered lines and then ends in the given way. Returns its lines. */
async function linesOfProcess(end: string): Promise<Array<{ at?: number; msg?: string }>> {
  const program = `
    import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)};
    const log = createLog({ level: 'info', format: 'json' });
    for (let at = 0; at < 500; at++) {
      log.info({ at: 2 * at });
      log.lines.write(JSON.stringify({ at: 2 * at + 1 }) + '\\n');
    }
    ${end}
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const NUMBERS = Array.from({ length: 1000 }, (_, at) => at);

test.each(['log.flush(() => process.exit(1))', '', "setTimeout(() => log.info('last'), 300)"])(
  'writes all lines in order before the process ends: %s',
  async (end) => {
    const lines = await linesOfProcess(end);
    expect(lines.slice(0, 1000).map(({ at }) => at)).toEqual(NUMBERS);
    expect(lines.slice(1000).map(({ msg }) => msg)).toEqual(end.includes('last') ? ['last'] : []);
  },
);

test('loses no line where the process ends at once', async () => {
  const lines = await linesOfProcess('process.exit(1)');
  // Lines whose write has begun in a thread may come after those that are written at the exit.
  expect(lines.map(({ at = -1 }) => at).sort((a, b) => a - b)).toEqual(NUMBERS);
});

test('the URL of a request that is written without the logger has none either', () => {
  const url = `/t/${HOSTILE}`;
  expect(OBEYED.exec(loggedUrl({ url }))?.[0]).toBeUndefined();
  expect(JSON.parse(loggedUrl({ url }))).toBe(url);
});

test('texts are shown in one line, or in the lines that are ours, with all letters as they are', () => {
  const escaped = 'a\\x1b]0;title\\x07\\x7f\\x9b31m\\u202egnp.\\u2066b\\u200b\\ufeff\\u2028\\u{e0041}c';
  expect(plain(`${HOSTILE}\n`)).toBe(`${escaped}\\x0a`);
  expect(plainLines(`${HOSTILE}\n${HOSTILE}`)).toBe(`${escaped}\n${escaped}`);
  for (const name of ['größe.png', '日本.png', 'قطة.png', '👍🏽.png']) expect(plain(name)).toBe(name);
  expect(JSON.parse(quote(HOSTILE))).toBe(HOSTILE);
  expect(OBEYED.exec(quote(HOSTILE))?.[0]).toBeUndefined();
});
