/**
 * Divides colours by their alpha, in place.
 * @param samples interleaved, alpha last
 * @param depth of a sample in bits; 16-bit samples are big-endian
 */
export function divideByAlpha(samples: Uint8Array, channels: number, depth: 8 | 16): void {
  const bytes = depth / 8;
  const most = 2 ** depth - 1;
  const numberAt = (at: number) =>
    depth === 8 ? (samples[at] ?? 0) : ((samples[at] ?? 0) << 8) | (samples[at + 1] ?? 0);
  for (let at = 0; at < samples.length; at += channels * bytes) {
    const alpha = numberAt(at + (channels - 1) * bytes);
    if (alpha === most || alpha === 0) continue;
    for (let sample = at; sample < at + (channels - 1) * bytes; sample += bytes) {
      const value = Math.min(most, Math.round((numberAt(sample) * most) / alpha));
      if (depth === 16) samples[sample] = value >> 8;
      samples[sample + bytes - 1] = value & 0xff;
    }
  }
}
