import { execFile, execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** Path of promtool; undefined if unavailable, which fails a complete check. */
const promtool = findPromtool();

function findPromtool(): string | undefined {
  try {
    return execFileSync('bash', [join(import.meta.dirname, 'find-promtool.sh')], { encoding: 'utf8' }).trim();
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    process.stderr.write('The alerts and metrics are not checked: there is no promtool.\n');
    return undefined;
  }
}

let service: TestService;
beforeAll(async () => {
  service = await startService({
    CDN_TAGS: 'true',
    CDN_PURGE_URL: 'http://127.0.0.1:9/purge',
    ORIGINS: 'old=http://127.0.0.1:9',
    PUBLIC_RATE_LIMIT_MAX: '4',
  });
});
afterAll(() => service.close());

const metrics = async () =>
  (await ask(service.url, '/metrics', { headers: { 'x-api-key': TEST_KEY } })).body.toString();
const figure = async (sample: string) =>
  Number(
    (await metrics())
      .split('\n')
      .find((line) => line.startsWith(`${sample} `))
      ?.slice(sample.length),
  );

describe('GET /metrics', () => {
  test('tells where variants came from', async () => {
    const sources = ['memory', 'cache', 'client', 'rendered'];
    const counts = () => Promise.all(sources.map((source) => figure(`darkroom_variants_total{source="${source}"}`)));
    expect(await counts()).toEqual([0, 0, 0, 0]);
    await service.place('flag.png', fixture('flag-alpha.png'));
    const url = '/t/w_20,f_png/flag.png';
    const { headers } = await ask(service.url, url);
    expect(await counts()).toEqual([0, 0, 0, 1]);
    for (let n = 0; n < 2; n++) expect((await ask(service.url, url)).status).toBe(200);
    expect((await counts()).reduce((sum, count) => sum + count)).toBe(3);
    const conditional = { headers: { 'if-none-match': String(headers.etag) } };
    expect((await ask(service.url, url, conditional)).status).toBe(304);
    expect(await counts()).toEqual([expect.any(Number), expect.any(Number), expect.any(Number), 1]);
    expect((await counts()).reduce((sum, count) => sum + count)).toBe(4);
  });

  test('measures how long renders wait and take, and what their workers hold', async () => {
    expect(await figure('darkroom_render_seconds_count{format="png"}')).toBe(1);
    expect(await figure('darkroom_render_seconds_sum{format="png"}')).toBeGreaterThan(0);
    expect(await figure('darkroom_render_wait_seconds_count')).toBe(1);
    expect(await figure('darkroom_render_workers_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  });

  test('counts those who are asked to come back later, by the code of the error, and no other errors', async () => {
    expect((await ask(service.url, '/t/w_20/flag.png')).status).toBe(429);
    expect(await figure('darkroom_refusals_total{code="rate_limited"}')).toBe(1);
    expect((await ask(service.url, '/storage')).status).toBe(401);
    expect((await metrics()).match(/^darkroom_refusals_total\{.*$/gm)).toEqual([
      'darkroom_refusals_total{code="rate_limited"} 1',
    ]);
  });

  test('says what runs', async () => {
    const labels = `version="${packageFile.version}",node="${process.versions.node}"`;
    expect(await metrics()).toContain(
      `darkroom_build_info{${labels},platform="${process.platform}-${process.arch}"} 1`,
    );
  });
});

describe.skipIf(promtool === undefined)('promtool', () => {
  const check = (...args: string[]) => run(promtool ?? '', args, { cwd: ROOT });

  test('finds nothing to complain of in the metrics', async () => {
    const checking = check('check', 'metrics');
    checking.child.stdin?.end(await metrics());
    expect(await checking).toEqual({ stdout: '', stderr: '' });
  });

  test('raises each alert when it should be, and not before', async () => {
    expect((await check('test', 'rules', 'test/monitoring/alerts.test.yml')).stdout).toContain('SUCCESS');
    const [alerts, tests] = await Promise.all(
      ['deploy/alerts.yml', 'test/monitoring/alerts.test.yml'].map((file) => readFile(join(ROOT, file), 'utf8')),
    );
    const names = [...(alerts ?? '').matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    for (const name of names) expect(tests).toContain(`alertname: ${name}`);
  });

  test('reads the configuration of Prometheus', async () => {
    expect((await check('check', 'config', '--syntax-only', 'deploy/prometheus.yml')).stdout).toContain('is valid');
  });
});

test.each(['deploy/alerts.yml', 'deploy/grafana.json', 'docs/monitoring.md'])(
  'every figure that %s names is there',
  async (file) => {
    const text = await metrics();
    const there = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
    const named = [...(await readFile(join(ROOT, file), 'utf8')).matchAll(/\b(?:darkroom|nodejs|process)_\w+/g)];
    const missing = named.map(([name]) => name.replace(/_(bucket|sum|count)$/, '')).filter((name) => !there.has(name));
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  },
);

test('the dashboard of Grafana has panels that do not lie over one another', async () => {
  const { panels } = JSON.parse(await readFile(join(ROOT, 'deploy/grafana.json'), 'utf8')) as {
    panels: { id: number; title: string; gridPos: { x: number; y: number; w: number; h: number } }[];
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});
