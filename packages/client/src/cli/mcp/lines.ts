const LINE_FEED = 10;

/**
 * Yields the lines of a stream, without line breaks; undefined for one that is too long, which is discarded. Text after
 * the last line break is ignored.
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string | undefined, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts.push(part);
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield length > maxBytes ? undefined : Buffer.concat(parts).toString();
      parts = [];
      length = 0;
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
}
