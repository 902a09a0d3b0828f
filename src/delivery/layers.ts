import { badRequest } from '../errors.ts';
import type { Layer, Layered } from '../image/layers/layer.ts';
import { writeLayers } from '../image/layers/segment.ts';
import { mediaTypeOf } from '../media.ts';
import { quote } from '../path.ts';
import { parameterProblem } from '../transformation/transformation.ts';
import { writeCanonicalOptions } from '../video/options.ts';
import type { SourceKind } from '../video/step.ts';
import type { VideoOptions } from '../video/steps/index.ts';
import { isAudioOfStream } from '../video/stream-options.ts';

/** Options of a video and the layers over it. */
export type LayeredVideo = VideoOptions & Layered;

/** @throws HttpProblem 400 for a layer that is not an image by its name */
export function checkLayers(layers: readonly Layer[] = []): void {
  for (const layer of layers) {
    if (layer.kind === 'text') continue;
    const { kind } = mediaTypeOf(layer.path);
    if (kind === 'image') continue;
    const message = `Expected an image as a layer, as in l_brand:logo.png, received ${quote(layer.path)}, whose type is ${kind}.`;
    throw badRequest(message, 'untransformable');
  }
}

/**
 * Adds layers to a video. They are drawn once, before anything is known of the video, so they cannot depend on its
 * frames.
 * @throws HttpProblem 400, also for a blend mode and for audio
 */
export function layOverVideo(options: VideoOptions, layers: readonly Layer[] | undefined): LayeredVideo {
  if (!layers) return options;
  checkLayers(layers);
  const blend = layers.map((layer) => layer.options.blend ?? 'normal').find((mode) => mode !== 'normal');
  if (blend !== undefined) throw parameterProblem('bl', 'normal over a video', blend);
  if (isAudioOfStream(options)) {
    throw badRequest('The audio of a stream has no layers. Request them with its video.', 'untransformable');
  }
  return { ...options, layers };
}

/** Returns the canonical text of a product; the empty text is a transcode with every default. */
export function canonicalVideo(requested: LayeredVideo, source: SourceKind): string {
  return writeLayers(writeCanonicalOptions(requested, source), requested.layers);
}
