/** Separators of names, however often they were percent-encoded. Some proxies read a backslash as a slash. */
const SEPARATOR = /(\/|\\|%(?:25)*(?:2f|5c))/i;

const PLAIN_SEPARATOR = /(\/)/;

/** Start of a signed name as it was written: `s--`, with any of its characters percent-encoded. */
const WRITTEN_START = /^(?:s|%(?:25)*[57]3)(?:-|%(?:25)*2d){2}/i;

/** Start of a signed name, decoded. */
const START = 's--';

/** Complete signature of a delivery URL, decoded. */
const SIGNATURE = /^s--[0-9a-f]{16}(?:[0-9a-f]{48})?(?:--.*)?$/i;

/** Signature of imgproxy: 32 bytes in base64url. */
const IMGPROXY_SIGNATURE = /^[\w-]{43}$/;

/** Something in the path of an open URL that may be part of another one. */
const SUSPICIOUS = /(?:s|%(?:25)*[57]3)(?:-|%(?:25)*2d){2}|(?:\.|%(?:25)*2e){2}/i;

/** Layers of percent-encoding that are removed to recognise a name. */
const MAX_DECODINGS = 3;

/** No path of a file has more names. The rest is masked. */
const MAX_NAMES = 512;

/** All secrets are shorter, so that no more of a name is decoded. */
const MAX_DECODED = 1024;

const MASK = '***';

/**
 * Path of a URL without the parts that give access: signatures, the ids of resumable uploads, tickets for downloads,
 * and the query. A name is masked where the route has a secret, for every status: refused URLs may be valid elsewhere.
 */
export function maskedPath(url: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  // Nearly all requests are for open URLs, which have no secret.
  if (path.startsWith('/t/') && !SUSPICIOUS.test(path)) return path;
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(path)?.[0] ?? '';
  return origin + maskNames(path.slice(origin.length));
}

/** Path of a file without signatures: clients may write a signed URL behind `/t/`. */
export function maskedFile(path: string): string {
  if (!path.includes(START)) return path;
  return path
    .split('/')
    .map((name) => (SIGNATURE.test(name) ? START + MASK : name))
    .join('/');
}

function maskNames(path: string): string {
  const parts = path.split(/[%\\]/.test(path) ? SEPARATOR : PLAIN_SEPARATOR);
  /** Names before the present one, decoded, without the prefix `/api`. */
  const before: string[] = [];
  const isOpen = /^\/(?:api\/)?t\//.test(path) && !parts.some((part) => decode(part) === '..');
  // Names and separators alternate.
  if (parts.length > 2 * MAX_NAMES) parts.splice(2 * MAX_NAMES, parts.length, MASK);
  for (let at = 0; at < parts.length; at += 2) {
    const written = parts[at] ?? '';
    const name = decode(written);
    if (name === '') continue;
    parts[at] = maskName(written, name, before, isOpen);
    if (before.length > 0 || name.toLowerCase() !== 'api') before.push(name.toLowerCase());
  }
  return parts.join('');
}

function maskName(written: string, name: string, before: readonly string[], isOpen: boolean): string {
  // The names in an open URL are those of files, which may begin in this way.
  if (isOpen) return SIGNATURE.test(name) ? maskSignature(written) : written;
  if (name.toLowerCase().startsWith(START)) return maskSignature(written);
  return isSecret(name, before) ? MASK : written;
}

function isSecret(name: string, before: readonly string[]): boolean {
  const parent = before.at(-1);
  if (parent === undefined) return IMGPROXY_SIGNATURE.test(name);
  if (parent === 'resumable') return before.at(-2) === 'upload';
  if (parent === 'download-zip') return name !== 'ticket';
  // A signature without its start is still one.
  return parent === 'authenticated' && /[0-9a-f]{16}/i.test(name);
}

function maskSignature(written: string): string {
  return (WRITTEN_START.exec(written)?.[0] ?? '') + MASK;
}

function decode(written: string): string {
  let name = written.slice(0, MAX_DECODED);
  for (let layer = 0; layer < MAX_DECODINGS && name.includes('%'); layer++) {
    try {
      name = decodeURIComponent(name);
    } catch {
      // Characters that are no UTF-8 are not part of a secret; those that are ASCII still are.
      return name.replaceAll(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    }
  }
  return name;
}
