import { type FileTypeResult, fileTypeFromBuffer } from 'file-type';
import { heifCodingOf } from './heif-brands.ts';
import { extensionOf } from './path.ts';

export const MEDIA_KINDS = ['image', 'video', 'audio', 'model', 'document'] as const;

export type MediaKind = (typeof MEDIA_KINDS)[number];

export interface MediaType {
  kind: MediaKind;
  mime: string;
  /** In lower case, without the dot; the first one is the usual one. */
  extensions: readonly string[];
  /** What the first bytes are recognised as; empty where bytes have their own rule or none. */
  signatures: readonly string[];
  /** The types that clients declare for it. */
  declarations: readonly string[];
  /** Whether the service accepts uploads of it. Documents are only served. */
  uploadable: boolean;
}

/** How many leading bytes tell the type of a file. */
export const SIGNATURE_BYTES = 4100;

function media(
  kind: MediaKind,
  mime: string,
  extensions: string[],
  signatures: string[] = [mime],
  otherDeclarations: string[] = [],
): MediaType {
  const declarations = [...new Set([mime, ...signatures, ...otherDeclarations])];
  return { kind, mime, extensions, signatures, declarations, uploadable: kind !== 'document' };
}

const GLTF = media('model', 'model/gltf+json', ['gltf'], [], ['application/json']);

/** The one table of file types. */
export const MEDIA_TYPES: readonly MediaType[] = [
  // Files of several pictures have the type of the first one, which every browser knows.
  media('image', 'image/jpeg', ['jpg', 'jpeg', 'mpo'], ['image/jpeg'], ['image/jpg', 'image/pjpeg', 'image/mpo']),
  media('image', 'image/png', ['png', 'apng'], ['image/png', 'image/apng'], ['image/vnd.mozilla.apng']),
  media('image', 'image/webp', ['webp']),
  media('image', 'image/avif', ['avif', 'avifs'], ['image/avif'], ['image/avif-sequence']),
  media('image', 'image/gif', ['gif']),
  media('image', 'image/heic', ['heic'], ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence']),
  media(
    'image',
    'image/heif',
    ['heif'],
    // The container of both codings.
    ['image/heif', 'image/heic', 'image/heif-sequence', 'image/heic-sequence', 'image/avif'],
  ),
  media(
    'image',
    'image/vnd.adobe.photoshop',
    ['psd'],
    ['image/vnd.adobe.photoshop'],
    ['image/x-photoshop', 'image/psd', 'application/photoshop', 'application/x-photoshop', 'application/psd'],
  ),
  media('video', 'video/mp4', ['mp4'], ['video/mp4', 'video/x-m4v']),
  media('video', 'video/quicktime', ['mov']),
  media('video', 'video/webm', ['webm']),
  media('audio', 'audio/wav', ['wav'], ['audio/wav', 'audio/vnd.wave', 'audio/x-wav'], ['audio/wave']),
  media('audio', 'audio/mpeg', ['mp3'], ['audio/mpeg'], ['audio/mp3', 'audio/mpeg3', 'audio/x-mpeg-3']),
  media(
    'audio',
    'audio/ogg',
    ['ogg'],
    ['audio/ogg', 'audio/ogg; codecs=opus', 'application/ogg'],
    ['audio/opus', 'audio/vorbis'],
  ),
  media('model', 'model/gltf-binary', ['glb']),
  GLTF,
  media('document', 'application/pdf', ['pdf']),
  media('document', 'text/plain; charset=utf-8', ['txt'], []),
  media('document', 'text/csv; charset=utf-8', ['csv'], []),
  media('document', 'application/json', ['json'], []),
  media('document', 'application/zip', ['zip']),
];

/** Anything else: served as bytes that no browser interprets. */
const UNKNOWN = media('document', 'application/octet-stream', [], []);

const BY_EXTENSION = new Map(MEDIA_TYPES.flatMap((type) => type.extensions.map((extension) => [extension, type])));
const BY_SIGNATURE = new Map(MEDIA_TYPES.toReversed().flatMap((type) => type.signatures.map((mime) => [mime, type])));

/** The type that a file's name says; extensions are matched case-insensitively. */
export function mediaTypeOf(path: string): MediaType {
  return BY_EXTENSION.get(extensionOf(path)) ?? UNKNOWN;
}

/** The type that the first `SIGNATURE_BYTES` of a file say; undefined for what the table does not hold. */
export async function sniffMediaType(head: Uint8Array): Promise<MediaType | undefined> {
  const coding = heifCodingOf(head);
  if (coding) return BY_SIGNATURE.get(coding === 'av1' ? 'image/avif' : 'image/heic');
  const found: FileTypeResult | undefined = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found) return BY_SIGNATURE.get(found.mime);
  return looksLikeGltf(head) ? GLTF : undefined;
}

/** Whether the bytes can be what the name says: types that share signatures (HEIC and HEIF) count as one. */
export function agrees(named: MediaType, sniffed: MediaType): boolean {
  return named === sniffed || sniffed.signatures.some((mime) => named.signatures.includes(mime));
}

/** glTF is JSON with an `asset` object; its start is enough to tell it from other text. */
function looksLikeGltf(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head).trimStart();
  return text.startsWith('{') && /"(asset|scenes?|nodes|meshes|accessors|buffers|bufferViews)"\s*:/.test(text);
}
