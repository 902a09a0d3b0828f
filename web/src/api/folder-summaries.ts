import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { Answers } from './types.ts';

type Answered = Answers['summariseFolders']['summaries'][string];
/** With the details, which are requested. */
export type PreviewItem = Required<Answered['previewItems'][number]>;
type Summary = Omit<Answered, 'previewItems'> & { previewItems: PreviewItem[] };

/** Requests of folders that come into view together are merged. */
const GATHER_MS = 30;
const BATCH_SIZE = 100;

interface PendingRequest {
  path: string;
  resolve(summary: Summary): void;
  reject(error: unknown): void;
}

const waiting: PendingRequest[] = [];

function requestSummaries(): void {
  const some = waiting.splice(0, BATCH_SIZE);
  if (waiting.length > 0) setTimeout(requestSummaries);
  // Separating commas stay literal; commas in names are encoded.
  const paths = some.map(({ path }) => encodeURIComponent(path)).join(',');
  call('summariseFolders', `storage/folder-summaries?details=true&paths=${paths}`).then(
    ({ summaries }) => {
      for (const { path, resolve } of some)
        resolve((summaries[path] as Summary | undefined) ?? { itemCount: 0, truncated: false, previewItems: [] });
    },
    (error) => {
      for (const { reject } of some) reject(error);
    },
  );
}

/** Summary of the content of a folder. */
export const folderSummaryQuery = (path: string) =>
  queryOptions({
    queryKey: ['files', 'summary', path],
    queryFn: () =>
      new Promise<Summary>((resolve, reject) => {
        if (waiting.length === 0) setTimeout(requestSummaries, GATHER_MS);
        waiting.push({ path, resolve, reject });
      }),
    staleTime: 30_000,
  });
