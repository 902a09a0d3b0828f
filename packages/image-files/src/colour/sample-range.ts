/** Range of the samples in a stream. */
export interface SampleRange {
  isMonochrome: boolean;
  /** True for limited range: with 8 bits, black is 16 and white 235. */
  isNarrow: boolean;
  /** False if the stream has no flag, and limited range is the default of its standard. */
  isStated: boolean;
}

const BLACK = 16;
const WHITE = 235;

/** Channels that a decoder leaves in limited range. */
export interface NarrowChannels {
  colours: boolean;
  alpha: boolean;
}

/**
 * Expands samples of limited range to full range, in place.
 * @param samples interleaved, alpha (if any) last; 16-bit samples are big-endian
 * @param unit value of 1 of 8 bits in these samples
 */
export function expandRange(
  samples: Uint8Array,
  { channels, depth, unit }: { channels: number; depth: 8 | 16; unit: number },
  narrow: NarrowChannels,
): void {
  const expand = expanderOf(depth, unit);
  const hasAlpha = channels % 2 === 0;
  const bytes = depth / 8;
  for (let channel = 0; channel < channels; channel++) {
    const isAlpha = hasAlpha && channel === channels - 1;
    if (!(isAlpha ? narrow.alpha : narrow.colours)) continue;
    for (let at = channel * bytes; at < samples.length; at += channels * bytes) expand(samples, at);
  }
}

function expanderOf(depth: 8 | 16, unit: number): (samples: Uint8Array, at: number) => void {
  const most = 2 ** depth - 1;
  const full = Uint16Array.from({ length: 2 ** depth }, (_, value) => {
    const share = (value / unit - BLACK) / (WHITE - BLACK);
    return Math.round(Math.min(1, Math.max(0, share)) * most);
  });
  if (depth === 8) {
    return (samples, at) => {
      samples[at] = full[samples[at] as number] as number;
    };
  }
  return (samples, at) => {
    const value = full[((samples[at] as number) << 8) | (samples[at + 1] as number)] as number;
    samples[at] = value >> 8;
    samples[at + 1] = value & 255;
  };
}
