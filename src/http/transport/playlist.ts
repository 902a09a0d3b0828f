import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Delivery } from '../../delivery/deliver.ts';
import { encodeSegment } from '../../delivery/url.ts';
import { encodePath } from '../../path.ts';
import { send } from './send.ts';

type PlaylistDelivery = Extract<Delivery, { kind: 'playlist' }>;

const TYPES = {
  m3u8: 'application/vnd.apple.mpegurl',
  hls: 'application/vnd.apple.mpegurl',
  dash: 'application/dash+xml',
  vtt: 'text/vtt; charset=utf-8',
};

const ETAG_LENGTH = 40;

/**
 * Sends a playlist. Its ETag follows its text, since renditions join it while the original stays the same; before it is
 * complete, caches must not store it.
 * @param uriOf the URI of another delivery, from what follows `/t/` in its URL
 */
export async function sendPlaylist(
  request: IncomingMessage,
  response: ServerResponse,
  { path, stat, playlist }: PlaylistDelivery,
  { caching, uriOf }: { caching: Readonly<Record<string, string>>; uriOf(raw: string): string },
): Promise<void> {
  const { format, isComplete } = playlist;
  const text = playlist.write((segment) => uriOf(`${encodeSegment(segment)}/${encodePath(path)}`));
  const body = Buffer.from(text);
  const hash = createHash('sha256').update(body).digest('hex').slice(0, ETAG_LENGTH);
  await send(request, response, {
    size: body.length,
    etag: `"${hash}"`,
    body,
    modifiedAt: isComplete ? stat.modifiedAt : undefined,
    headers: { ...(isComplete ? caching : { 'Cache-Control': 'no-store' }), 'Content-Type': TYPES[format] },
  });
}
