import { z } from 'zod';
import type { WordsPatch } from '../../../catalog/catalog-words.ts';
import type { AssetRecord } from '../../../catalog/records.ts';
import { roundPoint } from '../../../focal-point.ts';
import { MEDIA_KINDS, mediaTypeOf } from '../../../media.ts';
import { quote } from '../../../path.ts';

const MAX_FIELDS_BYTES = 16 * 1024;

const count = z.number().int().min(0);
const unknown = 'null when it is not known.';
const pixels = z.number().int().min(1).nullable();
const colour = z.string().regex(/^#[0-9a-f]{6}$/);
/** PostgreSQL cannot store NUL in text. */
const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((entries) => !entries.includes('\0'), { error: 'expected text without NUL, received some' })
    .nullish();
/** NUL or half a surrogate pair anywhere in JSON, which PostgreSQL cannot query. */
const UNREADABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;
const point = z.strictObject({ x: z.number().min(0).max(1), y: z.number().min(0).max(1) });

/** Maximum length of a tag in input, in characters: a decomposed tag is up to three times as long. */
export const MAX_TAG_TEXT = 300;

/** A tag in requests. Other texts could not be searched for, excluded or shown. */
export const tagName = z
  .string()
  .min(1)
  .max(100)
  .refine((tag) => tag.trim() === tag && !/^-|^\.\.?$|\p{Cc}/u.test(tag) && tag.isWellFormed(), {
    error: ({ input }) =>
      `expected a tag without spaces around it, control characters or a leading "-", received ${quote(String(input))}`,
  });

/** Response schema of an asset. */
export const asset = z
  .object({
    path: z.string(),
    name: z.string(),
    folder: z.string(),
    kind: z.enum(MEDIA_KINDS),
    type: z.string().describe('MIME type.'),
    size: count.describe('Bytes.'),
    mtime: z.iso.datetime().describe('Time of the last change.'),
    createdAt: z.iso.datetime(),
    etag: z.string().describe('Changes with the bytes.'),
    revision: count.describe('Increases with each change of the metadata; for `If-Match`.'),
    title: z.string().nullable(),
    alt: z.string().nullable(),
    description: z.string().nullable(),
    tags: z.array(z.string()),
    fields: z.record(z.string(), z.unknown()),
    focal: z.object({ x: z.number(), y: z.number() }).nullable().describe('Fractions of the upright image.'),
    described: z.boolean().describe('True if the fields below describe the current bytes; each is null if unknown.'),
    width: pixels.describe('Of the upright image.'),
    height: pixels,
    duration: z.number().nullable().describe('Seconds.'),
    frames: count.nullable(),
    hasAlpha: z.boolean().nullable(),
    codec: z.string().nullable(),
    bitrate: count.nullable().describe('Bits per second.'),
    takenAt: z.iso.datetime().nullable().describe('In the local time of the camera if the file has no time zone.'),
    camera: z.string().nullable(),
    hasGps: z.boolean().nullable().describe('True if the file contains a location.'),
    dominantColour: colour.nullable(),
    palette: z.array(colour).describe('At most five, the most common first.'),
    placeholder: z.string().nullable().describe('A ThumbHash in base64.'),
    sha256: z.string().nullable().describe('Of the bytes.'),
    problem: z.string().nullable().describe('Why the content cannot be decoded; null if it can.'),
    variants: z
      .object({ count, size: count.describe('Bytes.') })
      .optional()
      .describe('Cached variants; only for a single asset.'),
  })
  .meta({ id: 'Asset' });

export type AssetJson = z.output<typeof asset>;

/** Body of `PATCH /assets/{path}`. */
export const wordsBody = z.strictObject({
  title: text(500),
  alt: text(500).describe('Text alternative of the image.'),
  description: text(5000),
  tags: z.array(tagName).max(100).nullish().describe('All of them.'),
  fields: z
    .record(z.string(), z.unknown())
    .refine((fields) => Buffer.byteLength(JSON.stringify(fields)) <= MAX_FIELDS_BYTES, {
      error: ({ input }) =>
        `expected at most ${MAX_FIELDS_BYTES} bytes as JSON, received ${Buffer.byteLength(JSON.stringify(input))}`,
    })
    .refine((fields) => !UNREADABLE.test(JSON.stringify(fields)), {
      error: 'expected text without NUL and halves of characters, received some',
    })
    .nullish()
    .describe('All custom fields.'),
  focal: point.nullish().describe(`Most important point of the image; ${unknown}`),
});

/** Converts a body to a change. `null` clears a field. */
export function wordsOf({ tags, fields, focal, ...texts }: z.output<typeof wordsBody>): WordsPatch {
  return {
    ...texts,
    ...(tags !== undefined && { tags: (tags ?? []).map((tag) => tag.normalize('NFC')) }),
    ...(fields !== undefined && { fields: fields ?? {} }),
    ...(focal !== undefined && { focal: focal && roundPoint(focal) }),
  };
}

/** Converts an asset for a response. */
export function assetJson(record: AssetRecord, variants?: AssetJson['variants']): AssetJson {
  const { path, name, folder, kind, size, etag, revision } = record;
  const { title, alt, description, tags, fields, focal } = record;
  const { width, height, duration, frames, hasAlpha, codec, bitrate, camera, hasGps } = record;
  const { dominantColour, palette, placeholder, sha256, problem } = record;
  return {
    path,
    name,
    folder,
    kind,
    type: mediaTypeOf(name).mime,
    size,
    mtime: new Date(record.modifiedAt).toISOString(),
    createdAt: new Date(record.createdAt).toISOString(),
    etag,
    revision,
    title,
    alt,
    description,
    tags,
    fields,
    focal,
    described: record.isDescribed,
    width,
    height,
    duration,
    frames,
    hasAlpha,
    codec,
    bitrate,
    takenAt: record.takenAt === null ? null : new Date(record.takenAt).toISOString(),
    camera,
    hasGps,
    dominantColour,
    palette,
    placeholder,
    sha256,
    problem,
    ...(variants && { variants }),
  };
}
