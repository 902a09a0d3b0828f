import { open } from 'node:fs/promises';
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
  /** In lower case, without the dot; the default first. */
  extensions: readonly string[];
  /** MIME types that file-type detects for it; empty for types with another detection or none. */
  signatures: readonly string[];
  /** MIME types that clients declare for it. */
  declarations: readonly string[];
  /** True if uploads are accepted. Documents are only served. */
  uploadable: boolean;
  /** True if files can have several pages or frames, selected with `pg`. */
  hasPages: boolean;
  /** True if these can be frames of an animation. */
  hasFrames: boolean;
}

/** Types of documents that are rendered as images if the operator accepts them (`EXTRA_TYPES`). */
export const EXTRA_TYPES = ['svg', 'pdf', 'tiff'] as const;

export type ExtraType = (typeof EXTRA_TYPES)[number];

/** Number of leading bytes that identify the type of a file. */
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

/** All file types that are accepted by default. */
export const MEDIA_TYPES: readonly MediaType[] = [
  // Multi-image files have the type of the first image, which every browser knows.
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
  // Also the container of audio alone.
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

/** Type of all other files: bytes that no browser interprets. */
const UNKNOWN = media('document', 'application/octet-stream', [], []);

/** Replacements for entries of the table, or for the unknown type, if accepted. */
export const EXTRA_MEDIA_TYPES: Readonly<Record<ExtraType, MediaType>> = {
  // Detected by `startsSvg`.
  svg: media('image', 'image/svg+xml', ['svg'], []),
  pdf: media('image', 'application/pdf', ['pdf'], ['application/pdf'], ['application/x-pdf']),
  tiff: media('image', 'image/tiff', ['tif', 'tiff'], ['image/tiff'], ['image/tif', 'image/x-tiff']),
};

/** True for an extra type. Browsers do not show such a file as an image. */
export function isExtraType(type: MediaType): boolean {
  return Object.values(EXTRA_MEDIA_TYPES).includes(type);
}

/** Later types replace earlier ones. */
const byExtension = (types: readonly MediaType[]) =>
  new Map(types.flatMap((type) => type.extensions.map((extension) => [extension, type])));
const bySignature = (types: readonly MediaType[]) =>
  new Map(types.toReversed().flatMap((type) => type.signatures.map((mime) => [mime, type])));

let acceptedTypes: readonly ExtraType[] = [];
let knownByExtension = byExtension(MEDIA_TYPES);
let knownBySignature = bySignature(MEDIA_TYPES);

/** Sets the extra types that this process accepts. Called once, before the first request. */
export function acceptExtraTypes(extra: readonly ExtraType[]): void {
  acceptedTypes = EXTRA_TYPES.filter((name) => extra.includes(name));
  const accepted = acceptedTypes.map((name) => EXTRA_MEDIA_TYPES[name]);
  knownByExtension = byExtension([...MEDIA_TYPES, ...accepted]);
  knownBySignature = bySignature([...accepted, ...MEDIA_TYPES]);
}

/** Accepted extra types, without duplicates, in the order of `EXTRA_TYPES`. */
export function acceptedExtraTypes(): readonly ExtraType[] {
  return acceptedTypes;
}

/** True for a name of an extra type that is not accepted. */
export function isDisabledExtraType(path: string): boolean {
  const extension = extensionOf(path);
  return EXTRA_TYPES.some(
    (type) => EXTRA_MEDIA_TYPES[type].extensions.includes(extension) && !acceptedTypes.includes(type),
  );
}

/** Extensions of files that are accepted, sorted. @param types accepted kinds and MIME types; undefined for all */
export function acceptedExtensions(types: readonly string[] | undefined): readonly string[] {
  const accepted = [...knownByExtension].filter(([, type]) => type.uploadable && isAccepted(type, types));
  return accepted.map(([extension]) => extension).sort();
}

/** Type of a file by the extension of its name, case-insensitively. */
export function mediaTypeOf(path: string): MediaType {
  return knownByExtension.get(extensionOf(path)) ?? UNKNOWN;
}

/** Detects the type of a file from its first `SIGNATURE_BYTES`; undefined for types outside the table. */
export async function sniffMediaType(head: Uint8Array): Promise<MediaType | undefined> {
  const coding = heifCodingOf(head);
  if (coding) return knownBySignature.get(coding === 'av1' ? 'image/avif' : 'image/heic');
  if (isMp4ByBrands(head)) return knownBySignature.get('video/mp4');
  if (startsLongWav(head)) return knownBySignature.get('audio/wav');
  if (acceptedTypes.includes('svg') && startsSvg(head)) return EXTRA_MEDIA_TYPES.svg;
  // file-type takes TIFF files for raw ones by the number of their tags.
  if (startsTiff(head))
    return acceptedTypes.includes('tiff') && !isCameraRaw(head) ? EXTRA_MEDIA_TYPES.tiff : undefined;
  // Loaded with the first file that needs it.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found) return knownBySignature.get(found.mime);
  return looksLikeGltf(head) ? GLTF : undefined;
}

/** Detects the type of a local file as `sniffMediaType`. */
export async function sniffFile(file: string): Promise<MediaType | undefined> {
  return sniffMediaType(await readSignature(file));
}

/** Reads the first bytes of a local file, which tell its type. */
export async function readSignature(file: string): Promise<Buffer> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/**
 * True for WAV of more than 4 GB, or prepared for that: RF64 (EBU Tech 3306) and BW64 (ITU-R BS.2088). file-type knows
 * neither.
 */
function startsLongWav(head: Uint8Array): boolean {
  const text = Buffer.from(head.subarray(0, 12)).toString('latin1');
  return ['RF64', 'BW64'].includes(text.slice(0, 4)) && text.slice(8) === 'WAVE';
}

/** Types of variants that are never originals, by extension. */
const VARIANT_TYPES: Readonly<Record<string, string>> = { m4a: 'audio/mp4' };

/** MIME type of a variant, by its format. */
export function mimeOfVariant(format: string): string {
  return VARIANT_TYPES[format] ?? mediaTypeOf(`x.${format}`).mime;
}

/** True if the detected type fits the type of the name. Types with common signatures (HEIC and HEIF) count as one. */
export function agrees(named: MediaType, sniffed: MediaType): boolean {
  return named === sniffed || sniffed.signatures.some((mime) => named.signatures.includes(mime));
}

/** True for JSON with a key of glTF near its start. */
function looksLikeGltf(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head).trimStart();
  return text.startsWith('{') && /"(asset|scenes?|nodes|meshes|accessors|buffers|bufferViews)"\s*:/.test(text);
}

/** True if a space accepts the type: by its kind or its MIME type. Without a list it accepts all. */
export function isAccepted({ kind, mime }: MediaType, types: readonly string[] | undefined): boolean {
  return types === undefined || types.includes(kind) || types.includes(mime);
}
