/** An editor with an API key that works during the attack: none of its requests may fail or be deferred. */
import { Agent, request } from 'node:http';
import { setInterval } from 'node:timers';
import { VIDEO } from './attacks.ts';

/** Called after each request with its name, its time in ms and the error of the response, if any. */
export type OnAnswer = (name: string, ms: number, failure: string | undefined) => void;

interface Action {
  name: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: Buffer;
  expected: number;
  /** True for an upload that is cancelled. */
  isCancelled?: boolean;
}

const ADDRESS = '127.0.2.1';
const INTERVAL_MS = 1000;
const TIMEOUT_MS = 30_000;
const BOUNDARY = 'editor';
/** `MAX_FILE_SIZE_MB` by default. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const TUS = { 'tus-resumable': '1.0.0' };

/**
 * Alternates between uploads, resumable uploads, lists and transcodes, one per second.
 * @returns a function that stops it
 */
export function startKeyedVisitor(port: number, key: string, image: Buffer, onAnswer: OnAnswer): () => void {
  const agent = new Agent({ keepAlive: true, localAddress: ADDRESS });
  let count = 0;
  const timer = setInterval(async () => {
    const n = count++;
    const action = actionFor(n, image);
    const start = performance.now();
    const { answer, location } = await send({ port, key, agent }, action);
    const isRight = answer === String(action.expected);
    if (action.isCancelled && location !== undefined) {
      const cancelling = { name: 'cancel', method: 'DELETE', path: `/upload/${location}`, headers: TUS, expected: 204 };
      await send({ port, key, agent }, cancelling);
    }
    onAnswer(action.name, performance.now() - start, isRight ? undefined : answer);
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}

function actionFor(n: number, image: Buffer): Action {
  switch (n % 6) {
    case 0:
      return {
        name: 'upload',
        method: 'POST',
        path: '/upload',
        headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
        body: form(`editor-${n}.jpg`, image),
        expected: 200,
      };
    case 1:
      return {
        name: 'resumable upload',
        method: 'POST',
        path: '/upload/resumable',
        headers: {
          ...TUS,
          'upload-length': String(image.length),
          'upload-metadata': `filename ${Buffer.from(`editor-resumable-${n}.jpg`).toString('base64')}`,
          'content-type': 'application/offset+octet-stream',
        },
        body: image,
        expected: 201,
      };
    case 2:
      return {
        name: 'resumable upload of the largest size',
        method: 'POST',
        path: '/upload/resumable',
        headers: {
          ...TUS,
          'upload-length': String(MAX_FILE_BYTES),
          'upload-metadata': `filename ${Buffer.from('large.jpg').toString('base64')}`,
        },
        expected: 201,
        isCancelled: true,
      };
    case 3:
      return {
        name: 'transcode',
        method: 'GET',
        path: `/t/w_${32 + 2 * (n % 200)},so_0,eo_1,f_mp4/${VIDEO}`,
        expected: 202,
      };
    case 4:
      return { name: 'list', method: 'GET', path: '/storage?limit=50', expected: 200 };
    default:
      return { name: 'jobs', method: 'GET', path: '/queue/jobs?limit=10', expected: 200 };
  }
}

function form(name: string, image: Buffer): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: image/jpeg\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), image, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

/** Returns the status as text, with the start of the body for an error, or the error of the connection. */
function send(
  { port, key, agent }: { port: number; key: string; agent: Agent },
  { method, path, headers, body }: Action,
): Promise<{ answer: string; location?: string | undefined }> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ answer: String(error) });
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: { ...headers, authorization: `Bearer ${key}`, ...(body && { 'content-length': body.length }) },
      },
      (response) => {
        const status = response.statusCode ?? 0;
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', failed);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString().slice(0, 120);
          const answer = status < 400 ? String(status) : `${status} ${text}`;
          resolve({ answer, location: response.headers.location });
        });
      },
    );
    outgoing.on('error', failed);
    outgoing.end(body);
  });
}
