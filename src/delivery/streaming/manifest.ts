import { bandwidthOf } from './bandwidth.ts';
import type { ReadyLadder, ReadyRung } from './master-playlist.ts';

const PROFILE = 'urn:mpeg:dash:profile:isoff-on-demand:2011';

/** The manifest of a stream, as DASH has it (ISO 23009-1): each file with the bytes of its head and of its index. */
export function writeManifest({ pictures, sound, frameRate }: ReadyLadder): string {
  const all = [...pictures, ...(sound ? [sound] : [])].map(({ fragments }) => fragments);
  const seconds = Math.max(...all.map((one) => one.seconds));
  const buffer = Math.max(...all.flatMap(({ segments }) => segments.map((segment) => segment.seconds)));
  const rate = frameRate === null ? '' : ` frameRate="${Math.round(frameRate * 1000)}/1000"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="${PROFILE}" type="static" mediaPresentationDuration="${duration(seconds)}" minBufferTime="${duration(buffer)}">`,
    '<Period id="0" start="PT0S">',
    ...writeSet('video', pictures, ({ size }) =>
      size ? ` width="${size.width}" height="${size.height}" sar="1:1"${rate}` : '',
    ),
    ...(sound ? writeSet('audio', [sound], () => '') : []),
    '</Period>',
    '</MPD>\n',
  ].join('\n');
}

function writeSet(
  kind: 'video' | 'audio',
  rungs: readonly ReadyRung[],
  more: (fragments: ReadyRung['fragments']) => string,
): string[] {
  const starts = 'subsegmentAlignment="true" startWithSAP="1" subsegmentStartsWithSAP="1"';
  return [
    `<AdaptationSet contentType="${kind}" mimeType="${kind}/mp4" ${starts}>`,
    ...rungs.flatMap((rung, n) => writeRepresentation(`${kind}-${n}`, rung, more(rung.fragments))),
    '</AdaptationSet>',
  ];
}

function writeRepresentation(id: string, { fragments, uri }: ReadyRung, more: string): string[] {
  const { codec, headBytes, index, timescale } = fragments;
  const { peak } = bandwidthOf(fragments);
  return [
    `<Representation id="${id}" codecs="${codec}" bandwidth="${peak}"${more}>`,
    `<BaseURL>${escapeXml(uri)}</BaseURL>`,
    `<SegmentBase indexRange="${index.start}-${index.end - 1}" indexRangeExact="true" timescale="${timescale}">`,
    `<Initialization range="0-${headBytes - 1}"/>`,
    '</SegmentBase>',
    '</Representation>',
  ];
}

const duration = (seconds: number) => `PT${seconds.toFixed(3)}S`;

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
