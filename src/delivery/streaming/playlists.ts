import type { VariantInput } from '../../storage/cache/variant-key.ts';
import type { Fragments } from '../../video/source/fragments.ts';
import type { PlaylistFormat } from '../../video/step.ts';
import { streamRateOf } from '../../video/stream-options.ts';
import type { LayeredVideo } from '../layers.ts';
import type { TranscodeInputs, TranscodeRequester, Transcodes } from '../transcodes.ts';
import { writeManifest } from './dash-manifest.ts';
import { type ReadyLadder, writeMasterPlaylist, writeMediaPlaylist } from './hls-playlists.ts';
import { canonicalOf, fileOf, planLadder, playlistOf, type Rendition } from './ladder.ts';
import { createRenditionFiles, type FragmentsOf, type RenditionFile } from './rendition-files.ts';
import { createSourceCache, type SourceContext } from './source-cache.ts';
import { findCues, type WriteCues } from './storyboard-cues.ts';

/** A playlist that can be written. */
export interface Playlist {
  format: PlaylistFormat;
  /** True if all renditions are in it, so that it will not change. */
  isComplete: boolean;
  /** @param uriOf returns the URI of a transformation of the same original, relative to the playlist */
  write(uriOf: (segment: string) => string): string;
}

interface PlaylistContext extends SourceContext {
  transcodes: Transcodes;
  fragmentsOf: FragmentsOf;
  /** STREAM_HEIGHTS, ascending. */
  heights: readonly number[];
}

interface PlaylistRequester extends TranscodeRequester {
  signal(): AbortSignal | undefined;
}

/**
 * Renditions with at least this share of the bytes of the next higher one are omitted: they look worse at nearly the
 * same size.
 */
const NEAR_SHARE = 0.85;

export type Playlists = ReturnType<typeof createPlaylists>;

/** Computes playlists from the heads of their files, and queues missing files. */
export function createPlaylists(context: PlaylistContext) {
  const sources = createSourceCache(context);
  const files = createRenditionFiles(context.transcodes, context.originals, context.fragmentsOf);

  async function mediaPlaylist(inputs: TranscodeInputs, options: LayeredVideo, requester: TranscodeRequester) {
    const [file] = await files.findOrQueue(inputs, [fileOf(options)], requester);
    if (file?.state === 'failed' || file?.state === 'refused') throw file.problem;
    if (file?.state !== 'ready') return 'pending';
    const { rendition, fragments } = file;
    const write: Playlist['write'] = (uriOf) => writeMediaPlaylist(fragments, uriOf(canonicalOf(rendition.options)));
    return { format: 'm3u8', isComplete: true, write } as const;
  }

  return {
    /**
     * Lists all files that a playlist leads to, by ascending height, as far as they are known without reading the
     * original.
     */
    async renditionsOf(original: VariantInput, options: LayeredVideo): Promise<readonly Rendition[]> {
      if (options.format === 'm3u8') return [fileOf(options)];
      const source = await sources.known(original);
      const ladder = source && planLadder(options, source, context.heights);
      return ladder ? [...ladder.video, ...(ladder.audio ? [ladder.audio] : [])] : [];
    },
    /**
     * Returns the requested playlist, or `pending` until enough of it exists: the one file, or of several the lowest
     * and the audio.
     * @throws HttpProblem 422 when nothing can be made, 429 and 503 as for a transcode; BlobNotFound when the original
     * was replaced
     */
    async find(
      inputs: TranscodeInputs,
      options: LayeredVideo,
      requester: PlaylistRequester,
    ): Promise<Playlist | 'pending'> {
      const { format } = options;
      if (format === 'vtt') return cuePlaylist(await findCues({ ...context, sources }, inputs, options, requester));
      if (format !== 'hls' && format !== 'dash') return mediaPlaylist(inputs, options, requester);
      const source = await sources.find(inputs, requester.signal(), requester.client);
      const { video, audio } = planLadder(options, source, context.heights);
      const [lowest, ...higher] = video;
      const renditions = [...(lowest ? [lowest] : []), ...(audio ? [audio] : []), ...higher];
      const found = await files.findOrQueue(inputs, renditions, requester);
      return isPlayable(found) ? ladderPlaylist(format, found, streamRateOf(source, options)) : 'pending';
    },
  };
}

function cuePlaylist(write: WriteCues | 'pending'): Playlist | 'pending' {
  return write === 'pending' ? write : { format: 'vtt', isComplete: true, write };
}

/** @throws HttpProblem when there is nothing to wait for */
function isPlayable(files: readonly RenditionFile[]): boolean {
  const possible = files.filter(({ state }) => state !== 'failed');
  const lowest = possible.find(({ rendition }) => rendition.kind === 'picture');
  const audio = possible.find(({ rendition }) => rendition.kind === 'sound');
  const needed = [lowest, audio].filter((file) => file !== undefined);
  if (lowest && needed.every(({ state }) => state === 'ready')) return true;
  if (lowest && files.some(({ state }) => state === 'waiting')) return false;
  const refused = files.find(({ state }) => state === 'refused') ?? files.find(({ state }) => state === 'failed');
  if (refused && 'problem' in refused) throw refused.problem;
  return false;
}

function ladderPlaylist(format: 'hls' | 'dash', files: readonly RenditionFile[], frameRate: number | null): Playlist {
  const ready = files.filter((file) => file.state === 'ready');
  const video = withoutSimilar(ready.filter(({ rendition }) => rendition.kind === 'picture'));
  const audio = ready.find(({ rendition }) => rendition.kind === 'sound');

  function write(uriOf: (segment: string) => string): string {
    const inLadder = ({ rendition, fragments }: ReadyFile) => ({
      fragments,
      uri: uriOf(canonicalOf(format === 'hls' ? playlistOf(rendition) : rendition.options)),
    });
    const ladder: ReadyLadder = { video: video.map(inLadder), audio: audio && inLadder(audio), frameRate };
    return format === 'hls' ? writeMasterPlaylist(ladder) : writeManifest(ladder);
  }

  // Failed files may be retried.
  return { format, isComplete: ready.length === files.length, write };
}

interface ReadyFile {
  rendition: Rendition;
  fragments: Fragments;
}

/** @param video by ascending height */
function withoutSimilar(video: readonly ReadyFile[]): ReadyFile[] {
  const selected: ReadyFile[] = [];
  for (const image of video.toReversed()) {
    const next = selected[0];
    if (!next || image.fragments.bytes < NEAR_SHARE * next.fragments.bytes) selected.unshift(image);
  }
  return selected;
}
