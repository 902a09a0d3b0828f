import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { COMPILED } from '../../processes.ts';
import { brokenPromises, type Stored, settled } from './shelf.ts';
import { HEADERS, trashItems, type Visitor } from './visitor.ts';

const ADMIN = fileURLToPath(new URL('../../../src/admin.ts', import.meta.url));
const VERSIONS_KEPT = 10;
const SEARCHED = 5;

interface Listed extends Omit<Stored, 'digest'> {
  path: string;
}

/** The state of the service and of everything stored, as reported by the service. */
interface There {
  files: Map<string, Stored>;
  trash: Set<string>;
  problems: string[];
}

/**
 * Compares the state reported by the service with the acknowledged one, and resolves doubts.
 * @returns one line for each broken promise
 */
export async function judge(url: string, visitors: readonly Visitor[]): Promise<string[]> {
  const there = await look(url);
  const problems = [...there.problems];
  for (const visitor of visitors) {
    const own = ofVisitor(there, visitor);
    const { shelf, doubt } = visitor;
    problems.push(...brokenPromises(shelf, doubt, own));
  }
  if (problems.length > 0) return problems;
  for (const visitor of visitors) {
    visitor.shelf = settled(visitor.shelf, visitor.doubt, ofVisitor(there, visitor));
    visitor.doubt = undefined;
    problems.push(...(await versionProblems(url, visitor)), ...(await searchProblems(url, visitor)));
  }
  return problems;
}

/** Returns the problems reported by `npm run admin -- verify`. */
export async function verify(environment: Record<string, string>): Promise<string[]> {
  const env = { ...COMPILED, PATH: process.env.PATH ?? '', LOG_FORMAT: 'json', ...environment };
  const run = promisify(execFile)(process.execPath, [ADMIN, 'verify'], { env });
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
  const isGood =
    stdout.startsWith('0 stored but not in the catalog, 0 in') && stdout.includes('\n0 changes are in progress');
  return isGood ? [] : [`verify: ${stdout}${stderr}`];
}

async function json<T>(url: string): Promise<T> {
  const response = await fetch(url, { headers: HEADERS });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} was answered with ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

async function look(url: string): Promise<There> {
  const listed = (await json<{ files: Listed[] }>(`${url}/storage?recursive=true`)).files;
  const files = new Map<string, Stored>();
  const problems: string[] = [];
  for (const { path, size, alt, tags } of listed) {
    const response = await fetch(`${url}/t/${path}`, { headers: HEADERS });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.status !== 200) problems.push(`${path} is listed and answered with ${response.status}`);
    files.set(path, { digest: hash('sha256', bytes), size, alt, tags: [...tags].sort() });
    if (bytes.length !== size) problems.push(`${path} has ${bytes.length} bytes, listed are ${size}`);
  }
  problems.push(...(await sumProblems(url, files)), ...(await tagProblems(url, files)));
  return { files, trash: new Set((await trashItems(url)).map(({ path }) => path)), problems };
}

/** Compares sums and counts with those of the existing files. */
async function sumProblems(url: string, files: ReadonlyMap<string, Stored>): Promise<string[]> {
  const size = [...files.values()].reduce((sum, file) => sum + file.size, 0);
  const there = JSON.stringify({ size, fileCount: files.size });
  const { storage } = await json<{ storage: object }>(`${url}/storage/stats`);
  const { kinds } = await json<{ kinds: { image?: object } }>(`${url}/storage/usage`);
  const { total } = await json<{ total: number }>(`${url}/assets?limit=1`);
  const problems = [storage, kinds.image ?? { size: 0, fileCount: 0 }]
    .map((found) => JSON.stringify(found))
    .filter((found) => found !== there)
    .map((found) => `the sum is ${found}, not ${there}`);
  return total === files.size ? problems : [...problems, `${total} files are found, not ${files.size}`];
}

async function tagProblems(url: string, files: ReadonlyMap<string, Stored>): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const { tags } of files.values()) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const { tags } = await json<{ tags: { tag: string; count: number }[] }>(`${url}/tags`);
  const sorted = (pairs: [string, number][]) => JSON.stringify(pairs.sort(([one], [other]) => (one < other ? -1 : 1)));
  const found = sorted(tags.map(({ tag, count }) => [tag, count]));
  const there = sorted([...counts]);
  return found === there ? [] : [`the tags are ${found}, not ${there}`];
}

function ofVisitor({ files, trash }: There, { folder }: Visitor) {
  const isOwn = (path: string) => path.startsWith(`${folder}/`);
  return {
    files: new Map([...files].filter(([path]) => isOwn(path))),
    trash: new Set([...trash].filter(isOwn)),
  };
}

async function versionProblems(url: string, { shelf }: Visitor): Promise<string[]> {
  const problems: string[] = [];
  for (const [path, count] of shelf.versions) {
    if (count === 0) continue;
    const { versions } = await json<{ versions: unknown[] }>(`${url}/storage/${path}/versions`);
    if (versions.length < Math.min(count, VERSIONS_KEPT))
      problems.push(`${path} has ${versions.length} versions, not ${count}`);
  }
  return problems;
}

/** Checks that files are found by their metadata. */
async function searchProblems(url: string, { shelf }: Visitor): Promise<string[]> {
  const problems: string[] = [];
  const told = [...shelf.files].filter(([, { alt }]) => alt !== null);
  for (const [path, { alt }] of told.slice(-SEARCHED)) {
    const word = alt?.split(' ')[0];
    const { assets } = await json<{ assets: { path: string }[] }>(`${url}/assets?q=${word}&limit=200`);
    if (!assets.some((asset) => asset.path === path)) problems.push(`${path} is not found by "${word}"`);
  }
  return problems;
}
