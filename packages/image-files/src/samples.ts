/** Samples of 8 or 16 bits in the host's byte order. */
export type Samples = Uint8Array | Uint16Array;

/** Interleaves planes of one size. */
export function interleave(planes: Uint8Array[]): Uint8Array {
  const first = planes[0] as Uint8Array;
  if (planes.length === 1) return first;
  const samples = new Uint8Array(first.length * planes.length);
  planes.forEach((plane, channel) => {
    for (let i = 0, to = channel; i < plane.length; i++, to += planes.length) samples[to] = plane[i] as number;
  });
  return samples;
}
