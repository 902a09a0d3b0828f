import { queryOf } from '../base.ts';
import { filesChanged } from '../batch.ts';
import { call } from '../call.ts';
import type { Asset } from '../types.ts';
import type { Upload } from './upload.ts';
import { onSettled, uploadQueue } from './uploads.ts';

/** Delays between requests. Small images are described within a second, large videos within minutes. */
const DELAYS_MS = [400, 800, 1500, 3000, 5000];
/** Files that take longer say so in the listing alone. */
const MAX_REQUESTS = 30;
/** Newest files of a folder, which are described last. */
const NEWEST = 20;
/** Undecodable files of a folder that are found among newer ones. */
const MOST = 200;

/** Uploaded files that the service has not described, by path. */
const pending = new Map<string, Upload>();
let requests = 0;
let isRunning = false;
function add(uploads: readonly Upload[]): void {
  for (const upload of uploads)
    if (upload.state === 'done' && upload.path !== undefined) pending.set(upload.path, upload);
  if (pending.size === 0) return;
  requests = 0;
  if (!isRunning) void follow();
}

onSettled(add);
// Those that have arrived before this code was loaded.
add(uploadQueue.uploads);

/** Requests the descriptions of uploaded files until all are there. */
async function follow(): Promise<void> {
  isRunning = true;
  while (pending.size > 0 && requests < MAX_REQUESTS) {
    const delay = DELAYS_MS[Math.min(requests++, DELAYS_MS.length - 1)];
    await new Promise((resolve) => setTimeout(resolve, delay));
    const folders = new Set(Array.from(pending.values(), ({ folder }) => folder));
    // Without an answer it is asked again.
    for (const folder of folders) await look(folder).catch(() => undefined);
  }
  pending.clear();
  isRunning = false;
}

/** Looks for described files of a folder. */
async function look(folder: string): Promise<void> {
  const newest = (await list(folder, NEWEST)).filter(({ path }) => pending.has(path));
  // Files are described in the order in which they have arrived, a few at a time.
  const isOver = newest.every(({ described }) => described);
  const undecodable = await list(folder, MOST, true);
  const problems = new Map<Upload, string>();
  for (const { path, described, problem } of undecodable) {
    const upload = pending.get(path);
    if (upload === undefined || !described || problem === null) continue;
    problems.set(upload, problem);
    pending.delete(path);
  }
  if (isOver) for (const [path, upload] of pending) if (upload.folder === folder) pending.delete(path);
  uploadQueue.noteProblems(problems);
  if (isOver || problems.size > 0) filesChanged();
}

async function list(folder: string, limit: number, undecodable?: true): Promise<Asset[]> {
  const query = { folder, recursive: true, sort: 'mtime', order: 'desc', limit, undecodable };
  return (await call('listAssets', `assets${queryOf(query)}`)).assets;
}
