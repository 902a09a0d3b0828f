import { refuse, within } from '../refusal.ts';
import { approximate, type Draft, type Word } from './draft.ts';
import { colourOf, numberOf, requireColour, wholeOf } from './values.ts';

/** Cloudinary's names of formats, also as extensions, and ours. */
const FORMATS: Readonly<Record<string, string>> = {
  auto: 'auto',
  jpg: 'jpeg',
  jpeg: 'jpeg',
  jpe: 'jpeg',
  png: 'png',
  webp: 'webp',
  avif: 'avif',
  gif: 'gif',
  mp4: 'mp4',
  webm: 'webm',
  mov: 'mov',
  m3u8: 'hls',
  mpd: 'dash',
  mp3: 'mp3',
  ogg: 'opus',
  opus: 'opus',
  aac: 'aac',
  m4a: 'aac',
};

const CODECS: Readonly<Record<string, string>> = { h264: 'h264', h265: 'h265', hevc: 'h265', vp9: 'vp9', av1: 'av1' };
const FRAMES = ['jpeg', 'png', 'webp', 'avif'];

/** Returns our name of a format; undefined for one that Darkroom does not write. */
export function formatOf(name: string): string | undefined {
  const written = name.toLowerCase();
  return Object.hasOwn(FORMATS, written) ? FORMATS[written] : undefined;
}

/** True if the result of a video in this format is a single frame. */
export function isFrameFormat(format: string | undefined): boolean {
  return format !== undefined && FRAMES.includes(format);
}

/** Adds parameters of the entire result. Parameters without effect are listed as ignored. @throws Refused */
export function addDelivery(draft: Draft, word: Word): void {
  const { key, value, text } = word;
  if (key === 'f') addFormat(draft, word);
  else if (key === 'q') addQuality(draft, word);
  else if (key === 'dpr') addRatio(draft, word);
  else if (key === 'fl') addFlag(draft, word);
  else if (key === 'b') addBackground(draft, word);
  else if (key === 'co' && draft.parts.has('wf')) draft.parts.set('co', `co_${requireColour(word)}`);
  else if (key === 't') {
    if (draft.preset !== undefined || !/^[\w-]+$/.test(value))
      refuse(text, 'one named transformation becomes one preset');
    draft.preset = value;
  } else if (key === 'pg' && draft.makes === 'picture') {
    const page = wholeOf(value) ?? refuse(text, 'expected the number of a page');
    draft.parts.set('pg', `pg_${within(page, 1, 10_000)}`);
  } else draft.ignored.push(text);
}

function addFormat(draft: Draft, { value, text }: Word): void {
  const [name = '', ...details] = value.split(':');
  const format = formatOf(name);
  if (format === undefined) refuse(text, 'Darkroom does not write this format');
  if (details.length > 0) approximate(draft, text, `it is f_${format}`);
  draft.format = format;
}

function addQuality(draft: Draft, { value, text }: Word): void {
  const [name = '', ...more] = value.split(':');
  if (name === 'auto' || name === 'jpegmini') {
    draft.parts.set('q', 'q_auto');
    if (name !== 'auto' || (more.length > 0 && more[0] !== 'good')) approximate(draft, text, 'it is q_auto');
    return;
  }
  const quality = wholeOf(name);
  if (quality === undefined || quality < 1) refuse(text, 'expected a quality from 1 to 100, or auto');
  draft.parts.set('q', `q_${within(quality, 1, 100)}`);
  if (more.length > 0) approximate(draft, text, 'only the number counts');
}

function addRatio(draft: Draft, { value, text }: Word): void {
  const ratio = numberOf(value);
  if (value === 'auto') draft.ignored.push(text);
  else if (ratio === undefined || ratio <= 0) refuse(text, 'expected a number, or auto');
  else if (ratio !== 1) {
    draft.parts.set('dpr', `dpr_${within(ratio, 0.5, 4)}`);
    if (ratio !== within(ratio, 0.5, 4)) approximate(draft, text, 'dpr is from 0.5 to 4');
  }
}

/** Adds a flag. Most select an encoding, and the image is the same without them. */
function addFlag(draft: Draft, { value, text }: Word): void {
  for (const flag of value.split('.')) {
    const name = flag.split(':', 1)[0] ?? '';
    if (['animated', 'awebp'].includes(name)) draft.isAnimated = true;
    else if (name === 'waveform') draft.parts.set('wf', 'wf_true');
    else if (['splice', 'sprite', 'getinfo', 'layer_apply', 'cutter', 'tiled', 'apng', 'mono'].includes(name)) {
      refuse(text, 'this flag has no counterpart here');
    } else draft.ignored.push(`fl_${flag}`);
  }
}

function addBackground(draft: Draft, word: Word): void {
  const { value, text } = word;
  const colour = colourOf(value);
  if (colour !== undefined) draft.parts.set('b', `b_${colour}`);
  else if (value.split(':', 1)[0] === 'blurred') {
    draft.parts.set('b', 'b_blur');
    approximate(draft, text, 'how much it is blurred');
  } else if (value.split(':', 1)[0] === 'auto' && draft.makes === 'picture') {
    draft.parts.set('b', 'b_auto');
    if (!['auto', 'auto:border'].includes(value)) approximate(draft, text, 'it is the colour of the edge');
  } else refuse(text, 'expected a colour, auto or blurred');
}

/** Adds parameters of videos. @returns true for one of those. @throws Refused */
export function addVideo(draft: Draft, word: Word): boolean {
  const { key, value, text } = word;
  if (key === 'so' || key === 'eo' || key === 'du') {
    if (key === 'so' && value === 'auto') draft.ignored.push(text);
    else draft.parts.set(key, `${key}_${secondsOf(word)}`);
  } else if (key === 'vc') addCodec(draft, word);
  else if (text === 'ac_none' || text === 'e_volume:mute') draft.parts.set('au', 'au_none');
  else if (key === 'fps') addFrameRate(draft, word);
  else if (key === 'sp') {
    if (value !== 'auto') approximate(draft, text, 'the sizes are those of STREAM_HEIGHTS');
  } else return false;
  return true;
}

function addCodec(draft: Draft, { value, text }: Word): void {
  const name = value.split(':', 1)[0] ?? '';
  const codec = Object.hasOwn(CODECS, name) ? CODECS[name] : undefined;
  if (codec !== undefined) draft.parts.set('vc', `vc_${codec}`);
  if (codec !== value) draft.ignored.push(text);
}

function addFrameRate(draft: Draft, { value, text }: Word): void {
  const most = numberOf(value.split('-').findLast((part) => part !== '') ?? '');
  if (most === undefined || most < 1) refuse(text, 'expected frames a second');
  draft.parts.set('fps', `fps_${within(Math.round(most), 1, 60)}`);
}

function secondsOf({ value, text }: Word): number {
  const seconds = numberOf(value.replace(/s$/, ''));
  if (seconds === undefined || seconds > 86_400) refuse(text, 'expected seconds');
  return seconds;
}
