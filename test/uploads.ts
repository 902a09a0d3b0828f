import type { UploadResult } from '../src/library/upload.ts';
import { ask } from './http.ts';
import { startService, type TestService } from './service.ts';

export type UploadAnswer = UploadResult & { status: number; error?: string; code?: string; message?: string };

/** A service with small limits, and helpers for tests of its uploads. */
export interface UploadService extends TestService {
  /** Uploads files given by name and bytes. */
  send(...sent: Parameters<TestService['upload']>): Promise<UploadAnswer>;
  /** Uploads forms that files by name cannot express: several files of one name, any declared type. */
  sendForm(fill: (form: FormData) => void, headers?: Record<string, string>): Promise<UploadAnswer>;
  /** Returns the bytes of an original, as delivered to a visitor. */
  delivered(path: string): Promise<Buffer>;
}

export async function startUploads(): Promise<UploadService> {
  const limits = { MAX_FILE_SIZE_MB: '1', MAX_REQUEST_SIZE_MB: '3', MAX_FILES_PER_UPLOAD: '30' };
  const service = await startService(limits);
  const read = async (response: Response): Promise<UploadAnswer> => ({
    status: response.status,
    ...((await response.json()) as UploadResult),
  });
  return {
    ...service,
    send: async (...sent) => read(await service.upload(...sent)),
    async sendForm(fill, headers = {}) {
      const body = new FormData();
      fill(body);
      return read(await service.authorized('/upload', { method: 'POST', body, headers }));
    },
    async delivered(path) {
      return (await ask(service.url, `/t/${path.split('/').map(encodeURIComponent).join('/')}`)).body;
    },
  };
}

/** A file of a form. */
export const blob = (bytes: Uint8Array, type = '') => new Blob([bytes as Uint8Array<ArrayBuffer>], { type });
