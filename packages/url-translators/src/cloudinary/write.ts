import type { Refusal } from '../refusal.ts';
import { formatOf } from './delivery.ts';
import type { LayerDraft } from './draft.ts';
import type { Translated } from './translate.ts';

/** Existing paths of the files in a translation. */
export interface Files {
  file: string;
  /** One path per image layer, in order. A public ID stands for itself if its path is missing. */
  layers?: readonly string[];
}

const AUDIO = ['mp3', 'opus', 'aac'];
const VIDEOS = ['mp4', 'webm', 'mov', 'hls', 'dash'];

/**
 * Writes the transformation of a URL for `/t/`, decoded. Cloudinary delivers the format of the name, or without an
 * extension that of the file, so both become `f_` if the file is transformed.
 * @returns an empty segment for the unchanged original; a refusal for a format that Darkroom does not write
 */
export function writeSegment(translated: Translated, files: Files): { kind: 'written'; segment: string } | Refusal {
  const { preset, extension, layers, parts } = translated;
  if (preset !== undefined) return { kind: 'written', segment: `n_${preset}` };
  const stored = extensionOf(files.file);
  const requested = extension.toLowerCase();
  const isOther =
    requested !== '' && requested !== stored && (formatOf(requested) ?? requested) !== (formatOf(stored) ?? stored);
  const made = parts.length > 0 || layers.length > 0 || translated.format !== undefined || isOther;
  if (!made) return { kind: 'written', segment: '' };
  const format = translated.format ?? formatOf(requested === '' ? stored : requested);
  if (format === undefined && isOther) {
    return { kind: 'refused', part: `.${extension}`, reason: 'Darkroom does not write this format' };
  }
  const base = [...parts, ...formatParts(translated, format, stored)].join(',');
  let id = 0;
  const written = layers.map((layer) => {
    const isImage = layer.source.kind === 'picture';
    return writeLayer(layer, isImage ? files.layers?.[id++] : undefined);
  });
  return { kind: 'written', segment: (base === '' ? written : [base, ...written]).join('~') };
}

function formatParts(
  { resource, isAnimated, parts }: Translated,
  format: string | undefined,
  stored: string,
): string[] {
  if (format === undefined) return [];
  const isVideo = resource === 'video';
  if (AUDIO.includes(format)) return isVideo ? [`au_${format}`] : [];
  if (isVideo) return formatPartsOfVideo(format, isAnimated, parts.length > 0);
  if (parts.some((part) => part.startsWith('pg_'))) return [`f_${format}`];
  const isVideoOfGif = stored === 'gif' && VIDEOS.includes(format);
  const isMoving = ['auto', 'gif'].includes(format) || (format === 'webp' && isAnimated);
  const hasFrames = stored === 'gif' || (stored === 'webp' && isAnimated);
  return isVideoOfGif || (hasFrames && isMoving) ? ['an_true', `f_${format}`] : [`f_${format}`];
}

function formatPartsOfVideo(format: string, isAnimated: boolean, isChanged: boolean): string[] {
  if (format === 'gif' || (format === 'webp' && isAnimated)) return ['an_true', `f_${format}`];
  // A waveform is an image in any format; streams and videos are not plain.
  const isPlain = format === 'auto' || format === 'mp4';
  return isPlain && isChanged ? [] : [`f_${format}`];
}

function writeLayer({ source, parts }: LayerDraft, file: string | undefined): string {
  const name =
    source.kind === 'text' ? `text:${encode(source.text)}` : (file ?? source.stem).split('/').map(encode).join(':');
  // Escapes the first letter of a folder that would read like a text layer.
  const escaped = source.kind === 'picture' && name.startsWith('text:') ? `%74${name.slice(1)}` : name;
  return [`l_${escaped}`, ...parts.values()].join(',');
}

/** Unpaired surrogates cannot be encoded; decoding leaves none. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('~', '%7E');
}

function extensionOf(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') + 1 ? path.slice(dot + 1).toLowerCase() : '';
}
