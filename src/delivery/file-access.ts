import type { StoragePath } from '../path.ts';

/** Result of a request: something made of a file, or its stored bytes. */
export type Wanted = 'variant' | 'original';

/**
 * Admits a request to a file, once its path is final and before it is looked up: a missing file must not be told from a
 * private one.
 * @throws HttpProblem 401, 403
 */
export type AdmitFile = (path: StoragePath, wanted: Wanted) => Promise<void>;

export const admitEveryFile: AdmitFile = async () => undefined;
