import { createHmac } from 'node:crypto';
import type { UploadAnswer } from './uploads.ts';

export const API_SECRET = 'test-secret-at-least-16-chars-long';

/** Returns the form fields that permit an upload into a folder for one minute. */
export function presignedFields(folder: string): { folder: string; expires: string; signature: string } {
  const expires = String(Math.floor(Date.now() / 1000) + 60);
  const signature = createHmac('sha256', API_SECRET).update(`${folder}:${expires}`).digest('hex');
  return { folder, expires, signature };
}

export interface PresignedUpload {
  folder?: string;
  /** The address declared by a trusted proxy. */
  from: string;
  files: Record<string, Uint8Array>;
  transformations?: readonly string[];
}

/** Uploads files like a browser with a presigned signature. */
export async function uploadPresigned(
  url: string,
  { folder = 'in', from, files, transformations = [] }: PresignedUpload,
): Promise<UploadAnswer & { retryAfter: string | null }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(presignedFields(folder))) form.append(name, value);
  for (const transformation of transformations) form.append('transformations', transformation);
  for (const [name, bytes] of Object.entries(files)) {
    form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  }
  const response = await fetch(`${url}/upload`, { method: 'POST', body: form, headers: { 'x-forwarded-for': from } });
  const retryAfter = response.headers.get('retry-after');
  return { ...((await response.json()) as UploadAnswer), status: response.status, retryAfter };
}
