import { stat, writeFile } from 'node:fs/promises';
import { unavailable } from '../errors.ts';
import type { AnalysisResults } from '../image/analysis/analysis.ts';
import type { ImageFailure } from '../image/failure.ts';
import type { Rectangle } from '../image/layout/geometry.ts';
import { mediaTypeOf } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { Describer } from '../render/describer.ts';
import type { Facts } from '../render/facts.ts';
import type { Claim } from '../render/pool.ts';

interface FactsSubject {
  path: StoragePath;
  /** Local file of the original. */
  file: string;
  /** Local file of the analysed image: the original, or a frame of it. */
  image: string;
  analysis: AnalysisResults;
  page: number | undefined;
  /** Path of the result; does not exist yet. */
  output: string;
}

export type FactsResult = { outcome: 'rendered'; format: 'json' } | ImageFailure;

/**
 * Writes the public facts of an original as JSON. Time, location and camera of the recording are not among them.
 * @throws HttpProblem as the describer, and 503 if requested faces cannot be detected
 */
export async function writeFacts(
  describer: Pick<Describer, 'look'>,
  { path, file, image, analysis, page, output }: FactsSubject,
  terms: { signal: AbortSignal; claim: Claim },
): Promise<FactsResult> {
  const type = mediaTypeOf(path);
  const frame = image === file ? undefined : image;
  const { facts, placeholder, failure } = await describer.look({ file, type, frame, page, isShown: true, ...terms });
  if (failure) return failure;
  const { size: bytes } = await stat(file);
  const document = {
    type: type.mime,
    bytes,
    ...(type.kind === 'audio' ? {} : visualFactsOf(facts, placeholder)),
    ...(type.kind === 'image' ? {} : streamsOf(facts)),
    ...facesOf(analysis),
  };
  await writeFile(output, JSON.stringify(document));
  return { outcome: 'rendered', format: 'json' };
}

/** Facts of visible content; null for missing ones. */
function visualFactsOf(facts: Partial<Facts>, placeholder: string | undefined) {
  const { width, height, hasAlpha, frames, duration, dominantColour, borderColour, palette = [] } = facts;
  const { thumbHash, blurHash, perceptualHash } = facts;
  return {
    ...orNull({ width, height, hasAlpha, frames, duration }),
    colours: { ...orNull({ dominant: dominantColour, border: borderColour }), palette },
    ...orNull({ thumbHash, blurHash, perceptualHash, placeholder }),
  };
}

/** Facts of videos and audio. */
function streamsOf({ duration, codec, bitrate, frameRate, rotation, hasSound, soundCodec }: Partial<Facts>) {
  if (hasSound === undefined) return orNull({ duration, codec, bitrate });
  return orNull({ duration, codec, bitrate, frameRate, rotation, hasSound, soundCodec });
}

/**
 * Returns requested faces as fractions of the image, by descending confidence.
 * @throws HttpProblem 503 if face detection is unavailable
 */
function facesOf({ faces }: AnalysisResults): { faces?: readonly Rectangle[] } {
  if (faces && 'areFacesUnknown' in faces) {
    throw unavailable('Face detection is unavailable. Retry in 30 s.', 'render_failed', 30);
  }
  return faces ? { faces: 'faces' in faces ? faces.faces.map(rounded) : [] } : {};
}

function rounded({ left, top, width, height }: Rectangle): Rectangle {
  const round = (share: number) => Math.round(share * 10_000) / 10_000;
  return { left: round(left), top: round(top), width: round(width), height: round(height) };
}

function orNull<T extends object>(values: T): { [Key in keyof T]: NonNullable<T[Key]> | null } {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value ?? null])) as never;
}
