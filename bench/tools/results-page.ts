import type { Benchmark } from './benchmark.ts';

/**
 * `RESULTS.md`: contents, the reports of today's benchmarks, and links to the others.
 * @param reports Markdown by name, also of benchmarks that were removed
 */
export function resultsPage(
  host: string,
  benchmarks: readonly Benchmark[],
  reports: ReadonlyMap<string, string>,
): string {
  const measured = benchmarks.filter(({ name }) => reports.has(name));
  const others = [...reports].filter(([name]) => !measured.some((benchmark) => benchmark.name === name));
  return [
    '# Benchmarks',
    '',
    'Performance of the service, measured next to the best that the same host can do. `npm run bench` measures everything',
    'and writes this page, `npm run bench <name>` one section. Compare ratios: absolute figures depend on the host.',
    '',
    ...measured.map(({ name, about }) => `- [${name}](#${name}): ${about}`),
    '',
    host,
    '',
    ...measured.map(({ name }) => reports.get(name) ?? ''),
    '## Other results',
    '',
    'Reports of `npm run fuzz stranger` and of benchmarks that were removed. A checkout of commit `20914164` can still run them.',
    '',
    ...others.map(([name, text]) => `- [${titleOf(text) ?? name}](results/${name}.md), ${dateOf(text)}`),
    '',
  ].join('\n');
}

function titleOf(report: string): string | undefined {
  return /^# (.*)$/m.exec(report)?.[1];
}

function dateOf(report: string): string {
  return /\d{4}-\d{2}-\d{2}/.exec(report)?.[0] ?? '';
}
