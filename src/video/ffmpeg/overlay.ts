import type { Size } from '../geometry.ts';
import type { OutputLimits } from '../limits.ts';
import type { VideoPlan } from '../step.ts';
import { writtenMatrix } from './colour.ts';

/**
 * Returns the size at which an overlay is drawn. Renditions of a stream share one, drawn at the size of the video
 * within the output limits, and scale it down.
 */
export function overlaySize({ layout, format, probe }: VideoPlan, { side, pixels }: OutputLimits): Size {
  if (format !== 'cmaf') return layout.output;
  const { width, height } = probe;
  const share = Math.min(1, side / Math.max(width, height), Math.sqrt(pixels / (width * height)));
  return { width: Math.max(1, Math.floor(width * share)), height: Math.max(1, Math.floor(height * share)) };
}

/** Returns the filter that lays an image over every frame. @param file path of a PNG */
export function overlayFilter(file: string, plan: VideoPlan): string {
  const { width, height } = plan.layout.output;
  const image = [
    // The default image reader takes a name with a % as a pattern.
    `movie=${escapeValue(file)}:format_name=png_pipe`,
    // Convert to the matrix of the frames: ffmpeg would use BT.601 for all.
    `scale=${width}:${height}:out_color_matrix=${writtenMatrix(plan)}:out_range=tv`,
    'format=yuva420p',
  ];
  // Some decoders leave full range to the next filter.
  const under = plan.probe.range === 'pc' ? 'scale=out_range=tv,format=yuv420p' : 'format=yuv420p';
  return `${under}[under];${image.join(',')}[over];[under][over]overlay=format=yuv420`;
}

/** Escapes a text as an option value: for the list of options, then for the filter graph around it. */
function escapeValue(text: string): string {
  return text.replace(/[\\':]/g, String.raw`\$&`).replace(/[\\'[\],;]/g, String.raw`\$&`);
}
