import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

// Creates a release: its version wherever it occurs, its section of the changelog, its packages with checksums and
// notes in release/, a commit and a tag. It pushes nothing.

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'release');
const USAGE = `npm run release -- <version> [--dry-run]

  <version>    x.y.z, above the last one
  --dry-run    says what would be done, and does nothing`;

/** A reason that prevents the release; the message is for the person who creates it. */
class Refusal extends Error {}

interface Edit {
  file: string;
  text: string;
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/**
 * Replaces all matches in a file's text.
 * @throws Refusal without a match
 */
function replaced(file: string, pattern: RegExp, by: string): Edit {
  const text = read(file);
  if (!pattern.test(text)) throw new Refusal(`Expected ${pattern} in ${file}, found nothing like it.`);
  return { file, text: text.replace(pattern, by) };
}

function requireVersion(version: string, current: string): void {
  const parts = (text: string) => text.split('.').map(Number) as [number, number, number];
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Refusal(`Expected a version as x.y.z, received "${version}".\n\n${USAGE}`);
  if (git('tag', '--list', `v${version}`) !== '') throw new Refusal(`There is a tag v${version} already.`);
  const next = parts(version);
  const last = parts(current);
  const first = next.findIndex((part, n) => part !== last[n]);
  // The current version of the packages may be the first one to be released.
  const isNew = first === -1 || (next[first] ?? 0) > (last[first] ?? 0);
  if (!isNew) throw new Refusal(`Expected a version above ${current}, received ${version}.`);
}

function requireCleanMain(): void {
  const branch = git('branch', '--show-current');
  if (branch !== 'main') throw new Refusal(`Expected the branch main, found ${branch || 'none'}.`);
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new Refusal(`Expected no changes that are not committed, found:\n${changed}`);
}

/** Returns the unreleased section of the changelog. */
function unreleased(): string {
  const [, notes = ''] = /^## \[Unreleased\]\n(.*?)(?=^## |(?![\s\S]))/ms.exec(read('CHANGELOG.md')) ?? [];
  if (!/^- /m.test(notes)) throw new Refusal('Expected changes below "## [Unreleased]" in CHANGELOG.md, found none.');
  return notes.trim();
}

/** Returns the files that contain the version, with their new contents. */
function editsFor(version: string, current: string): Edit[] {
  const lock = JSON.parse(read('package-lock.json'));
  for (const entry of [lock, lock.packages[''], lock.packages['packages/client']]) entry.version = version;
  const day = new Date().toISOString().slice(0, 10);
  const ours = new RegExp(`darkroom(-client)?-${current.replaceAll('.', '\\.')}\\.tgz`, 'g');
  const pages = globSync('{README.md,docs/**/*.md,packages/client/README.md}', { cwd: ROOT }).filter((file) =>
    read(file).match(ours),
  );
  return [
    ...['package.json', 'packages/client/package.json'].map((file) =>
      replaced(file, /^ {2}"version": ".*"/m, `  "version": "${version}"`),
    ),
    { file: 'package-lock.json', text: `${JSON.stringify(lock, undefined, 2)}\n` },
    replaced('deploy/helm/Chart.yaml', /^(version|appVersion): .*$/gm, `$1: ${version}`),
    replaced('CHANGELOG.md', /^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - ${day}`),
    ...pages.map((file) => replaced(file, ours, `darkroom$1-${version}.tgz`)),
  ];
}

/** Packs both packages into release/. @returns the names of the files */
function pack(notes: string): string[] {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT);
  const pack = ['pack', '--pack-destination', OUT, '--workspace', 'packages/client'];
  for (const command of [['run', 'package', '--', OUT], pack]) {
    execFileSync('npm', command, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const packages = readdirSync(OUT);
  const sums = packages.map((name) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(OUT, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(OUT, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(OUT, 'NOTES.md'), `${notes}\n`);
  return packages;
}

function release(version: string, isDry: boolean): string {
  const { version: current } = JSON.parse(read('package.json'));
  requireVersion(version, current);
  requireCleanMain();
  const notes = unreleased();
  const edits = editsFor(version, current);
  const files = edits.map(({ file }) => file);
  if (isDry) return `Would write ${version} into ${files.join(', ')}, and tag v${version}. Its notes:\n\n${notes}`;
  try {
    for (const { file, text } of edits) writeFileSync(join(ROOT, file), text);
    const packages = pack(notes);
    git('commit', '--quiet', '--message', `Release ${version}`, '--', ...files);
    git('tag', '--annotate', `v${version}`, '--message', `Darkroom ${version}`);
    return `Made v${version}: ${packages.join(', ')} in release/. To publish it: git push origin main v${version}`;
  } catch (error) {
    git('restore', '--staged', '--worktree', '--', ...files);
    throw error;
  }
}

try {
  const options = { 'dry-run': { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [version, ...more] = positionals;
  if (!values.help && (version === undefined || more.length > 0)) throw new Refusal(USAGE);
  process.stdout.write(
    `${values.help || version === undefined ? USAGE : release(version, values['dry-run'] === true)}\n`,
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
