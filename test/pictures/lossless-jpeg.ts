/** Sample precision, and the prediction of the first sample. */
const BITS = 8;
const FIRST = 128;

/** Nine lengths of a difference, 0 to 8, each with a code of four bits. */
const CODE_BITS = 4;

function segment(marker: number, ...content: number[]): Buffer {
  const length = content.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 0xff, ...content]);
}

/**
 * Encodes interleaved RGB samples of 8 bits without loss, each predicted from its left neighbour.
 * Source: ITU-T T.81, annex H and (Huffman codes) F.1.2.1.
 */
export function encodeLosslessJpeg(samples: Uint8Array, width: number, height: number): Buffer {
  const components = [...Buffer.from('RGB')];
  const lengths = Array.from({ length: 16 }, (_, index) => (index + 1 === CODE_BITS ? BITS + 1 : 0));
  const values = Array.from({ length: BITS + 1 }, (_, index) => index);
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xc4, 0, ...lengths, ...values),
    segment(0xc3, BITS, ...size, 3, ...components.flatMap((id) => [id, 0x11, 0])),
    segment(0xda, 3, ...components.flatMap((id) => [id, 0]), 1, 0, 0),
    scanOf(samples, width),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function scanOf(samples: Uint8Array, width: number): Buffer {
  const bytes: number[] = [];
  let pending = 0;
  let count = 0;
  const put = (value: number, bits: number) => {
    for (let bit = bits - 1; bit >= 0; bit--) {
      pending = (pending << 1) | ((value >> bit) & 1);
      if (++count < 8) continue;
      bytes.push(pending, ...(pending === 0xff ? [0] : []));
      pending = 0;
      count = 0;
    }
  };
  for (const [index, sample] of samples.entries()) {
    const x = Math.floor(index / 3) % width;
    const difference = sample - (samples[index - (x > 0 ? 3 : 3 * width)] ?? FIRST);
    const length = 32 - Math.clz32(Math.abs(difference));
    put(length, CODE_BITS);
    put(difference < 0 ? difference + 2 ** length - 1 : difference, length);
  }
  put(0x7f, (8 - count) % 8);
  return Buffer.from(bytes);
}
