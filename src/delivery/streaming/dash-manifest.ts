import { bandwidthOf } from './bandwidth.ts';
import type { ReadyLadder, ReadyRendition } from './hls-playlists.ts';

const PROFILE = 'urn:mpeg:dash:profile:isoff-on-demand:2011';
const CHANNELS = 'urn:mpeg:dash:23003:3:audio_channel_configuration:2011';

/** Attributes by name, in writing order. */
type Attributes = Readonly<Record<string, string | number | boolean>>;

/**
 * Writes the DASH manifest of a stream (ISO 23009-1, with the requirements of DASH-IF IOP 4.3, 3.2.4): each file with
 * the byte ranges of its head and index.
 */
export function writeManifest({ video, audio, frameRate }: ReadyLadder): string {
  const all = [...video, ...(audio ? [audio] : [])].map(({ fragments }) => fragments);
  const seconds = Math.max(...all.map((one) => one.seconds));
  const buffer = Math.max(...all.flatMap(({ segments }) => segments.map((segment) => segment.seconds)));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="${PROFILE}" type="static" mediaPresentationDuration="${duration(seconds)}" minBufferTime="${duration(buffer)}">`,
    '<Period id="0" start="PT0S">',
    ...writeVideo(video, frameRate === null ? undefined : `${Math.round(frameRate * 1000)}/1000`),
    ...(audio ? writeAudio(audio) : []),
    '</Period>',
    '</MPD>\n',
  ].join('\n');
}

/** @param rate frames per second; undefined if unknown */
function writeVideo(video: readonly ReadyRendition[], rate: string | undefined): string[] {
  const { width = 0, height = 0 } = video.at(-1)?.fragments.size ?? {};
  const divisor = greatestDivisor(width, height);
  const largest = { maxWidth: width, maxHeight: height, ...(rate !== undefined && { maxFrameRate: rate }) };
  const representations = video.flatMap((rendition, n) =>
    writeRepresentation(`video-${n}`, rendition, {
      ...rendition.fragments.size,
      sar: '1:1',
      ...(rate !== undefined && { frameRate: rate }),
    }),
  );
  return writeSet('video', { ...largest, par: `${width / divisor}:${height / divisor}` }, representations);
}

function writeAudio(audio: ReadyRendition): string[] {
  // The timescale of audio is its sample rate.
  const { channels = 2, timescale } = audio.fragments;
  const layout = `<AudioChannelConfiguration schemeIdUri="${CHANNELS}" value="${channels}"/>`;
  return writeSet(
    'audio',
    { lang: 'und' },
    writeRepresentation('audio-0', audio, { audioSamplingRate: timescale }, layout),
  );
}

function writeSet(kind: 'video' | 'audio', more: Attributes, representations: readonly string[]): string[] {
  const starts = { subsegmentAlignment: true, startWithSAP: 1, subsegmentStartsWithSAP: 1 };
  const attributes = { contentType: kind, mimeType: `${kind}/mp4`, ...starts, ...more };
  return [`<AdaptationSet${write(attributes)}>`, ...representations, '</AdaptationSet>'];
}

/** @param details child elements */
function writeRepresentation(
  id: string,
  { fragments, uri }: ReadyRendition,
  more: Attributes,
  ...details: string[]
): string[] {
  const { codec, headBytes, index, timescale } = fragments;
  const { peak } = bandwidthOf(fragments);
  return [
    `<Representation${write({ id, codecs: codec, bandwidth: peak, ...more })}>`,
    ...details,
    `<BaseURL>${escapeXml(uri)}</BaseURL>`,
    `<SegmentBase indexRange="${index.start}-${index.end - 1}" indexRangeExact="true" timescale="${timescale}">`,
    `<Initialization range="0-${headBytes - 1}"/>`,
    '</SegmentBase>',
    '</Representation>',
  ];
}

/** Writes attributes whose values need no escapes. */
function write(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('');
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a || 1 : greatestDivisor(b, a % b);
}

const duration = (seconds: number) => `PT${seconds.toFixed(3)}S`;

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
