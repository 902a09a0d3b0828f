import type { Backend } from './backend.ts';
import { type DiskSettings, diskBackend } from './disk/backend.ts';
import type { S3Settings } from './s3/backend.ts';

/** Settings that decide where originals are stored. */
export interface StorageConfig {
  storage: { kind: 'disk' } | ({ kind: 's3' } & Omit<S3Settings, 'staged'>);
  data: DiskSettings & Pick<S3Settings, 'staged'>;
}

/** Returns the configured storage. Every kind of storage is a case here; its SDK is loaded only if needed. */
export async function chooseBackend({ storage, data }: StorageConfig): Promise<Backend> {
  switch (storage.kind) {
    case 'disk':
      return diskBackend(data);
    case 's3': {
      const { s3Backend } = await import('./s3/backend.ts');
      return s3Backend({ ...storage, staged: data.staged });
    }
  }
}
