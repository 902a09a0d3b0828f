import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Parameter } from '../../api/types.ts';
import { UNBOUNDED } from './bounds.ts';
import { IMAGE_SNIPPETS, type Use, VIDEO_SNIPPETS } from './snippets.ts';

const parameter = (key: string): Parameter => ({
  key,
  aliases: [],
  separator: '_',
  name: key,
  summary: '',
  forms: '',
  examples: [],
  shape: { kind: 'text' },
});
const use: Use = {
  base: 'https://media.example.com/',
  path: 'a.jpg',
  segment: '',
  listing: {
    image: ['w', 'h', 'dpr', 'c', 'q', 'f'].map(parameter),
    video: ['so', 'w', 'h', 'c', 'q', 'au', 'f', 't', 'tt'].map(parameter),
    layer: [],
    text: [],
    presets: [{ name: 'thumb', transformation: 'w_200,h_100' }],
  },
  size: { width: 400, height: 300 },
  original: UNBOUNDED,
  alt: '',
  accept: 'image/webp,*/*',
};

describe('of names and texts with code in them', () => {
  const HOSTILE = `a"><img src=x onerror=alert(1)>\nalert(2)\u2028alert(3)\r\nalert(4)//{{5}}\${6}\`\u202e\0`;
  const hostile: Use = {
    ...use,
    path: `${HOSTILE}.jpg`,
    alt: HOSTILE,
    segment: `w_400,h_300,q_7'+alert(7)+'\`\${alert(8)}\n;evil=w_1`,
  };
  const attributes = (code: string) => Array.from(code.matchAll(/(?:src|alt)="([^"]*)"/g), ([, value = '']) => value);

  test('every attribute ends where it should, in one line, and reads as the text', () => {
    for (const name of ['srcset', 'picture', 'next', 'nuxt', 'unpic'] as const) {
      const code = IMAGE_SNIPPETS[name](hostile);
      const values = attributes(code);
      expect([name, values.length]).toEqual([name, 2]);
      for (const value of values)
        expect([name, value]).toEqual([name, expect.not.stringMatching(/[<{}\n\r\u2028\u202e]|&(?!\w+;|#\d+;)/u)]);
      expect(code).not.toMatch(/<img src=x|[\r\u2028\u2029\u202a-\u202e\0]|\{\{/u);
      expect(code.split('\n').filter((line) => /^\s*alert/.test(line))).toEqual([]);
    }
  });

  test('no line of a loader is theirs, and what it gives is a URL', () => {
    for (const [name, returned] of [
      ['next', 'darkroomLoader'],
      ['unpic', 'darkroom'],
    ] as const) {
      const code = IMAGE_SNIPPETS[name](hostile)
        .replace('export default ', '')
        .replace(/^import.*$/m, '');
      const shouts: unknown[] = [];
      const runnable = `${code.replace(/^<Image.*$/m, '')}\nreturn ${returned};`;
      const loader = new Function('alert', runnable)((shout: unknown) => shouts.push(shout));
      const url = name === 'next' ? loader({ src: 'b.jpg', width: 320 }) : loader('b.jpg', { width: 320 });
      expect(url).toMatch(/^https:\/\/media\.example\.com\/t\/[\w,.%+()'*!:;=~-]+\/b\.jpg$/);
      expect(shouts).toEqual([]);
    }
  });

  test('a line for a shell has them as one word, and presets have no other behind them', () => {
    const inShell = (script: string) => execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    const curl = IMAGE_SNIPPETS.curl(hostile);
    const printed = inShell(`curl() { for word; do printf '%s\\n' "$word"; done; }; ${curl}`);
    expect(printed.trim().split('\n')).toEqual(['-H', 'Accept: image/webp,*/*', '-OJ', IMAGE_SNIPPETS.url(hostile)]);
    const preset = IMAGE_SNIPPETS.preset(hostile);
    const setting = inShell(`${preset}; printf %s "$PRESETS"`);
    expect(setting).toBe(`thumb=w_200,h_100;new=${hostile.segment.replace('\n', '%0A').replace(';', '%3B')}`);
    for (const code of [curl, preset]) expect(code).not.toMatch(/[\n\r\u2028\u202e\0]/u);
  });

  test('a player has no script of theirs', () => {
    const video: Use = { ...hostile, path: `</script><script>alert(1)</script>${HOSTILE}.mp4` };
    for (const segment of ['w_400', 'f_hls', 'f_dash', "w_400,q_'</script>"]) {
      const code = VIDEO_SNIPPETS.video({ ...video, segment });
      expect(code.match(/<\/?script/g) ?? []).toHaveLength(segment.startsWith('f_') ? 2 : 0);
      expect(code).not.toMatch(/alert\(1\)<|onerror=alert/);
    }
  });
});
