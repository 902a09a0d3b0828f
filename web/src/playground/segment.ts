import type { Answers, Parameter } from '../api/answers.ts';

/** What a URL may have, as the service lists it. */
export type Listing = Answers['listTransformations'];

/** A part of a segment. Without a key it is none that is understood. */
interface Part {
  key: string;
  value: string;
  text: string;
}

const PRESET = 'n_';

/** The parts of a segment, with the keys that the listing has: an alias is read as its key. */
export function readSegment(segment: string, parameters: readonly Parameter[]): Part[] {
  const texts = segment.split(',').filter((text) => text !== '');
  return texts.map((text) => ({ key: '', value: text, ...wordOf(text, parameters), text }));
}

/**
 * The longest key that fits: `thumbnail_time_5` is not `t` with a long value. A key with a separator of its own goes up to that, or
 * stands alone.
 */
function wordOf(text: string, parameters: readonly Parameter[]): { key: string; value: string } | undefined {
  const colon = text.indexOf(':');
  const head = colon < 0 ? text : text.slice(0, colon);
  const effect = parameters.find(({ key, separator }) => separator === ':' && key === head);
  if (effect) return { key: effect.key, value: colon < 0 ? (effect.alone ?? '') : text.slice(colon + 1) };
  for (let cut = text.lastIndexOf('_'); cut > 0; cut = text.lastIndexOf('_', cut - 1)) {
    const word = text.slice(0, cut);
    const found = parameters.find(
      ({ key, aliases, separator }) => separator !== ':' && (key === word || aliases.includes(word)),
    );
    if (found) return { key: found.key, value: text.slice(cut + 1) };
  }
  return undefined;
}

/** The value of a parameter; the last of repeated ones, as the service reads it. */
export function valueIn(segment: string, key: string, parameters: readonly Parameter[]): string | undefined {
  return readSegment(segment, parameters).findLast((part) => part.key === key)?.value;
}

/**
 * The segment with another value of one parameter; undefined and an empty text take it away. What is there keeps its place and its
 * spelling, and what is new stands where its effect comes.
 */
export function withValue(
  segment: string,
  key: string,
  value: string | undefined,
  parameters: readonly Parameter[],
): string {
  // A comma or a slash would end the value.
  const wanted = (value ?? '').replace(/[,/\s]/g, '');
  const parameter = parameters.find((one) => one.key === key);
  const written = wanted !== '' && wanted === parameter?.alone ? key : `${key}${parameter?.separator ?? '_'}${wanted}`;
  const parts = readSegment(segment, parameters);
  const place = parts.findLastIndex((part) => part.key === key);
  const texts = parts.flatMap((part, index) => {
    if (part.key !== key) return [part.text];
    return wanted !== '' && index === place ? [written] : [];
  });
  if (wanted === '' || place >= 0) return texts.join(',');
  const order = parameters.map((parameter) => parameter.key);
  const after = parts.findIndex((part) => order.indexOf(part.key) > order.indexOf(key));
  return texts.toSpliced(after < 0 ? texts.length : after, 0, written).join(',');
}

/** The transformation that a segment stands for: that of a preset, or itself. */
export function expandPreset(segment: string, presets: Listing['presets']): string {
  return presets.find(({ name }) => segment === PRESET + name)?.transformation ?? segment;
}

export const segmentOfPreset = (name: string): string => PRESET + name;

/** The parameters of a kind of file; a frame of a video has those of pictures too. */
export function parametersOf(kind: 'image' | 'video', segment: string, listing: Listing): readonly Parameter[] {
  if (kind === 'image') return listing.image;
  if (!isFrame(segment, listing)) return listing.video;
  const keys = new Set(listing.video.map(({ key }) => key));
  return [...listing.video, ...listing.image.filter(({ key }) => !keys.has(key))];
}

/** Whether a segment asks for one picture of a video. */
export function isFrame(segment: string, listing: Listing): boolean {
  const format = valueIn(segment, 'f', listing.video) ?? '';
  return ['true', '1'].includes(valueIn(segment, 't', listing.video) ?? '') || PICTURE_FORMATS.has(format);
}

const PICTURE_FORMATS: ReadonlySet<string> = new Set(['avif', 'webp', 'jpeg', 'jpg', 'png', 'gif', 'best']);

/** A frame of what a segment makes of a video, in the same geometry: it is there at once. */
export function frameOf(segment: string, listing: Listing): string {
  if (isFrame(segment, listing)) return segment;
  const pictures = new Set(listing.image.map(({ key }) => key));
  const kept = readSegment(segment, listing.video).filter(
    ({ key }) => key === '' || (pictures.has(key) && key !== 'f' && key !== 'q'),
  );
  const start = valueIn(segment, 'so', listing.video);
  return [...kept.map(({ text }) => text), 't_true', ...(start === undefined ? [] : [`tt_${start}`])].join(',');
}

/** The same geometry without loss, to compare with. */
export function losslessOf(segment: string, parameters: readonly Parameter[]): string {
  const kept = readSegment(segment, parameters).filter(({ key }) => key !== 'f' && key !== 'q');
  return [...kept.map(({ text }) => text), 'q_100', 'f_png'].join(',');
}

/** What is wrong with a segment: the parameter that a message of the service names, and the message without it. */
export function problemOf(message: string): { key: string | undefined; text: string } {
  const [, key, text] = /parameter "([^"]+)": (.+)$/is.exec(message) ?? [];
  if (key !== undefined && text !== undefined) return { key, text: text.charAt(0).toUpperCase() + text.slice(1) };
  const [, reason = message] = /is no transformation: (.+)$/s.exec(message) ?? [];
  return { key: undefined, text: reason.charAt(0).toUpperCase() + reason.slice(1) };
}
