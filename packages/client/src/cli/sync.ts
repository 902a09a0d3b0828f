import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { components } from '../api-types.ts';
import { type Command, Failure, SERVICE_HELP, SERVICE_OPTIONS, UsageError } from './command.ts';
import { filesIn, type LocalFile } from './local-files.ts';
import { inParallel } from './parallel.ts';
import { Report } from './report.ts';
import { REQUESTS, sendFiles } from './send.ts';
import { addressOf, jsonOf, Refused, reasonOf, type Service, serviceOf } from './service.ts';

type Asset = components['schemas']['Asset'];

const PAGE = 200;

export const sync: Command = {
  help: `darkroom sync <folder> [folder in the library]

Sends what is in a folder and not in the library yet, into the root by default. Nothing is ever deleted or overwritten: a file with
the name of another one gets a number. Links are left out, and what begins with a dot. May be run again and again.

  --json         an object for each file, in a line of its own: {file, status, path, url} or {file, status, error};
                 status is "new", "same" or "failed"
${SERVICE_HELP}

Needs DARKROOM_KEY with the permission "upload". With "read" as well, existing files are compared without being sent.`,
  options: { ...SERVICE_OPTIONS, json: { type: 'boolean' } },
  async run([local, remote = '', ...more], values, env) {
    if (local === undefined) throw new UsageError('Expected a folder, received nothing.');
    if (more.length > 0) throw new UsageError('Expected a folder, and perhaps one in the library, received more.');
    const service = serviceOf(values, env);
    const files = await filesIn(local);
    const folder = remote.replace(/^\/+|\/+$/g, '');
    const report = new Report(files, values.json === true);
    const stored = await storedIn(service, folder);
    const missing: LocalFile[] = [];
    await inParallel(files, REQUESTS, async (file) => {
      const path = (folder === '' ? file.path : `${folder}/${file.path}`).normalize('NFC');
      if (!(await hasBytes(stored.get(path), file))) missing.push(file);
      else report.add({ file: file.file, status: 'same', path, url: addressOf(service, path) }, file.size);
    });
    await sendFiles(service, missing, { folder, existing: 'skip' }, (outcome, size) => report.add(outcome, size));
    return report.end();
  },
};

type Known = Pick<Asset, 'size' | 'sha256'>;

/** Lists the known files of a folder; nothing if the key lacks the permission. @throws Failure */
async function storedIn(service: Service, folder: string): Promise<ReadonlyMap<string, Known>> {
  const known = new Map<string, Known>();
  try {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = new URLSearchParams({ folder, recursive: 'true', limit: String(PAGE), ...(cursor && { cursor }) });
      const answer = await service.request('GET', `/assets?${query}`, { isRepeatable: true });
      const page = (await jsonOf(answer)) as { assets: Asset[]; nextCursor: string | null } | undefined;
      if (!answer.ok || page === undefined) throw new Failure(reasonOf(answer.status, page));
      for (const { path, size, sha256 } of page.assets) known.set(path, { size, sha256 });
      cursor = page.nextCursor;
    }
  } catch (error) {
    if (!(error instanceof Refused && error.code === 'missing_permission')) throw error;
  }
  return known;
}

/**
 * True if a stored file is known to have the bytes of a local one. An unreadable file has none; sending it reports the
 * error.
 */
async function hasBytes(stored: Known | undefined, { file, size }: LocalFile): Promise<boolean> {
  if (!stored?.sha256 || stored.size !== size) return false;
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash);
  } catch {
    return false;
  }
  return hash.digest('hex') === stored.sha256;
}
