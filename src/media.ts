import { type FileTypeResult, fileTypeFromBuffer } from 'file-type';
import { heifCodingOf } from './media/heif-brands.ts';
import { isMp4ByBrands } from './media/mp4-brands.ts';
import { startsSvg } from './media/svg-start.ts';
import { isCameraRaw, startsTiff } from './media/tiff-start.ts';
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
  /** Whether its files can have several pages or frames, of which `pg` names one. */
  hasPages: boolean;
  /** Whether these can be frames that move. */
  hasFrames: boolean;
}

/** Types of documents that are drawn as pictures where the operator has them accepted (`EXTRA_TYPES`). */
export const EXTRA_TYPES = ['svg', 'pdf', 'tiff'] as const;

export type ExtraType = (typeof EXTRA_TYPES)[number];

/** How many leading bytes tell the type of a file. */
export const SIGNATURE_BYTES = 4100;

const MOVING = ['image/gif', 'image/webp'];
const PAGED = [...MOVING, 'image/tiff', 'application/pdf'];

function media(
  kind: MediaKind,
  mime: string,
  extensions: string[],
  signatures: string[] = [mime],
  otherDeclarations: string[] = [],
): MediaType {
  const declarations = [...new Set([mime, ...signatures, ...otherDeclarations])];
  const traits = { uploadable: kind !== 'document', hasPages: PAGED.includes(mime), hasFrames: MOVING.includes(mime) };
  return { kind, mime, extensions, signatures, declarations, ...traits };
}

const GLTF = media('model', 'model/gltf+json', ['gltf'], [], ['application/json']);

/** The one table of file types, as it is where no further ones are accepted. */
export const MEDIA_TYPES: readonly MediaType[] = [
  // Files of several pictures have the type of the first one, which every browser knows.
  media(
    'image',
    'image/jpeg',
    ['jpg', 'jpeg', 'mpo'],
    ['image/jpeg'],
    ['image/jpg', 'image/pjpeg', 'image/x-citrix-jpeg', 'image/mpo'],
  ),
  media(
    'image',
    'image/png',
    ['png', 'apng'],
    ['image/png', 'image/apng'],
    ['image/x-png', 'image/x-citrix-png', 'image/vnd.mozilla.apng'],
  ),
  media('image', 'image/webp', ['webp']),
  media('image', 'image/avif', ['avif', 'avifs'], ['image/avif'], ['image/avif-sequence']),
  media('image', 'image/gif', ['gif'], ['image/gif'], ['image/x-citrix-gif']),
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
  // The container of sound alone too, whatever its kind here.
  media('video', 'video/mp4', ['mp4'], ['video/mp4', 'video/x-m4v'], ['application/mp4', 'audio/mp4']),
  media('video', 'video/quicktime', ['mov'], ['video/quicktime'], ['video/x-quicktime']),
  media('video', 'video/webm', ['webm'], ['video/webm'], ['audio/webm']),
  media(
    'audio',
    'audio/wav',
    ['wav'],
    ['audio/wav', 'audio/vnd.wave', 'audio/x-wav'],
    ['audio/wave', 'audio/x-pn-wav'],
  ),
  media(
    'audio',
    'audio/mpeg',
    ['mp3'],
    ['audio/mpeg'],
    ['audio/mp3', 'audio/x-mp3', 'audio/mpeg3', 'audio/x-mpeg-3', 'audio/x-mpeg'],
  ),
  media(
    'audio',
    'audio/ogg',
    ['ogg'],
    ['audio/ogg', 'audio/ogg; codecs=opus', 'application/ogg'],
    // Firefox takes every Ogg for a video.
    ['video/ogg', 'audio/x-ogg', 'application/x-ogg', 'audio/opus', 'audio/vorbis'],
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

/** What stands in the place of the table's rows, or of the unknown type, where it is accepted. */
export const EXTRA_MEDIA_TYPES: Readonly<Record<ExtraType, MediaType>> = {
  // Its bytes have a rule of their own.
  svg: media('image', 'image/svg+xml', ['svg'], []),
  pdf: media('image', 'application/pdf', ['pdf'], ['application/pdf'], ['application/x-pdf']),
  tiff: media('image', 'image/tiff', ['tif', 'tiff'], ['image/tiff'], ['image/tif', 'image/x-tiff']),
};

/** Whether it is one of those. A browser cannot be given such a file in the place of a picture. */
export function isExtraType(type: MediaType): boolean {
  return Object.values(EXTRA_MEDIA_TYPES).includes(type);
}

/** Later ones take the place of earlier ones. */
const byExtension = (types: readonly MediaType[]) =>
  new Map(types.flatMap((type) => type.extensions.map((extension) => [extension, type])));
const bySignature = (types: readonly MediaType[]) =>
  new Map(types.toReversed().flatMap((type) => type.signatures.map((mime) => [mime, type])));

let acceptedTypes: readonly ExtraType[] = [];
let knownByExtension = byExtension(MEDIA_TYPES);
let knownBySignature = bySignature(MEDIA_TYPES);

/** Has this process know some further types, and no others any more. Called when the service is put together, before it is asked. */
export function acceptExtraTypes(extra: readonly ExtraType[]): void {
  acceptedTypes = EXTRA_TYPES.filter((name) => extra.includes(name));
  const accepted = acceptedTypes.map((name) => EXTRA_MEDIA_TYPES[name]);
  knownByExtension = byExtension([...MEDIA_TYPES, ...accepted]);
  knownBySignature = bySignature([...accepted, ...MEDIA_TYPES]);
}

/** Those that were accepted, each once, in the order of the list. */
export function acceptedExtraTypes(): readonly ExtraType[] {
  return acceptedTypes;
}

/** The type that a file's name says; extensions are matched case-insensitively. */
export function mediaTypeOf(path: string): MediaType {
  return knownByExtension.get(extensionOf(path)) ?? UNKNOWN;
}

/** The type that the first `SIGNATURE_BYTES` of a file say; undefined for what the table does not hold. */
export async function sniffMediaType(head: Uint8Array): Promise<MediaType | undefined> {
  const coding = heifCodingOf(head);
  if (coding) return knownBySignature.get(coding === 'av1' ? 'image/avif' : 'image/heic');
  if (isMp4ByBrands(head)) return knownBySignature.get('video/mp4');
  if (startsLongWav(head)) return knownBySignature.get('audio/wav');
  if (acceptedTypes.includes('svg') && startsSvg(head)) return EXTRA_MEDIA_TYPES.svg;
  // file-type takes TIFF files for raw ones by the number of their tags.
  if (startsTiff(head))
    return acceptedTypes.includes('tiff') && !isCameraRaw(head) ? EXTRA_MEDIA_TYPES.tiff : undefined;
  const found: FileTypeResult | undefined = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found) return knownBySignature.get(found.mime);
  return looksLikeGltf(head) ? GLTF : undefined;
}

/** True for WAV of more than 4 GB, or prepared for that: RF64 (EBU Tech 3306) and BW64 (ITU-R BS.2088). file-type knows neither. */
function startsLongWav(head: Uint8Array): boolean {
  const text = Buffer.from(head.subarray(0, 12)).toString('latin1');
  return ['RF64', 'BW64'].includes(text.slice(0, 4)) && text.slice(8) === 'WAVE';
}

/** What is made of originals and never is one, by its extension. */
const MADE_TYPES: Readonly<Record<string, string>> = { m4a: 'audio/mp4' };

/** The type of a variant, by its format. */
export function mimeOfVariant(format: string): string {
  return MADE_TYPES[format] ?? mediaTypeOf(`x.${format}`).mime;
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
