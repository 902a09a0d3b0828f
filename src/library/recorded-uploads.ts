import type { AuditLog } from '../audit/audit-log.ts';
import { INSTALLATION } from '../installation.ts';
import type { UsageMeter } from '../usage/usage-meter.ts';
import type { ResumableOptions } from './resumable/resumable-uploads.ts';

/** Creates the function that records the files of resumable uploads, which may be stored without a request. */
export function createUploadRecorder(
  audit: Pick<AuditLog, 'record'>,
  usage: Pick<UsageMeter, 'counter'>,
): ResumableOptions['onConcluded'] {
  return ({ space = INSTALLATION, actor: uploader, admittedBy, client: address }, { files }) => {
    const type = admittedBy === 'signature' ? admittedBy : 'system';
    const actor = uploader ?? { type, id: null, name: null };
    const key = actor.type === 'key' ? (actor.id ?? '') : '';
    for (const { path, size, skipped } of files) {
      if (skipped) continue;
      usage.counter(space, key).uploadedBytes += size;
      const object = { space, action: 'file.uploaded', target: path, detail: { size } } as const;
      audit.record([{ ...object, at: new Date(), actor, address, requestId: null }]);
    }
  };
}
