import http from 'node:http';
import { text } from 'node:stream/consumers';

export interface SlowAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  json: Record<string, unknown>;
}

/** An upload that the test sends in pieces. */
export interface SlowUpload {
  field(name: string, value: string): void;
  /** Begins a file; its bytes follow through `bytes`. */
  file(name: string): void;
  bytes(bytes: Uint8Array): void;
  /** Sends the end of the form. */
  end(): void;
  /** Also resolves for a response that arrives before the end. */
  answer: Promise<SlowAnswer>;
  /** Resolves when either side has closed the connection. */
  closed: Promise<void>;
  /** Aborts the upload. */
  leave(): void;
}

/** Begins a `POST /upload` over its own connection. None of the body is sent automatically. */
export function beginUpload(url: string, headers: http.OutgoingHttpHeaders = {}): SlowUpload {
  const request = http.request(`${url}/upload`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'multipart/form-data; boundary=x', 'transfer-encoding': 'chunked', ...headers },
  });
  request.flushHeaders();
  // The server may close the connection while we send.
  request.on('error', () => undefined);
  const answer = new Promise<SlowAnswer>((resolve, reject) => {
    request.once('response', async (response: http.IncomingMessage) => {
      const body = await text(response);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, json: JSON.parse(body) });
    });
    request.once('close', () => reject(new Error('The connection was closed without an answer.')));
  });
  answer.catch(() => undefined);
  let separator = '';
  const part = (head: string) => {
    request.write(`${separator}--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n`);
    separator = '\r\n';
  };
  return {
    field(name, value) {
      part(`name="${name}"`);
      request.write(value);
    },
    file: (name) => part(`name="files"; filename="${name}"`),
    bytes: (bytes) => request.write(bytes),
    end: () => request.end(`${separator}--x--\r\n`),
    answer,
    closed: new Promise<void>((resolve) => request.once('close', () => resolve())),
    leave: () => request.destroy(),
  };
}
