import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** 1 is internal, 2 a server's. */
  kind: number;
  attributes: Record<string, unknown>;
  /** 2 is an error. */
  status: { code?: number };
}

interface Sent {
  resourceSpans: { scopeSpans: { spans: (Omit<Span, 'attributes'> & { attributes: Attribute[] })[] }[] }[];
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

/** Receives the JSON that an exporter sends over HTTP. */
export async function startCollector() {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Sent;
    for (const { scopeSpans } of resourceSpans) spans.push(...scopeSpans.flatMap((scope) => scope.spans).map(toSpan));
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, close: () => server.close() };
}

function toSpan(sent: Sent['resourceSpans'][0]['scopeSpans'][0]['spans'][0]): Span {
  const attributes = sent.attributes.map(({ key, value }) => [key, Object.values(value)[0]]);
  return { ...sent, attributes: Object.fromEntries(attributes) };
}
