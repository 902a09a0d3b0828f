import type { Size } from '../geometry.ts';
import type { OutputLimits } from '../limits.ts';
import type { VideoPlan } from '../step.ts';
import { writtenMatrix } from './colour.ts';

/**
 * How large a picture has to be drawn that lies over a video. The rungs of a stream look alike: theirs is drawn for the size of the video,
 * as far as results may be that large, and shrinks with it.
 */
export function overlaySize({ layout, format, probe }: VideoPlan, { side, pixels }: OutputLimits): Size {
  if (format !== 'cmaf') return layout.output;
  const { width, height } = probe;
  const share = Math.min(1, side / Math.max(width, height), Math.sqrt(pixels / (width * height)));
  return { width: Math.max(1, Math.floor(width * share)), height: Math.max(1, Math.floor(height * share)) };
}

/**
 * The filter that lays a picture over every frame.
 * @param file the path of a PNG
 */
export function overlayFilter(file: string, plan: VideoPlan): string {
  const { width, height } = plan.layout.output;
  const image = [
    // The usual reader of pictures takes a name with a % for a pattern.
    `movie=${escapeValue(file)}:format_name=png_pipe`,
    // In the colours of the frames: ffmpeg would take BT.601 for all.
    `scale=${width}:${height}:out_color_matrix=${writtenMatrix(plan)}:out_range=tv`,
    'format=yuva420p',
  ];
  // Some decoders leave full range to whoever comes next.
  const under = plan.probe.range === 'pc' ? 'scale=out_range=tv,format=yuv420p' : 'format=yuv420p';
  return `${under}[under];${image.join(',')}[over];[under][over]overlay=format=yuv420`;
}

/** A text as the value of an option: first the list of options is read, before that the graph of filters. */
function escapeValue(text: string): string {
  return text.replace(/[\\':]/g, String.raw`\$&`).replace(/[\\'[\],;]/g, String.raw`\$&`);
}
