/** Image in memory. */
export interface Decoded {
  /** Object URL, valid until revoked. */
  url: string;
  /** Pixels; undefined if this browser cannot decode it. */
  size: { width: number; height: number } | undefined;
}

/** Creates an object URL and measures the image. */
export async function decode(blob: Blob): Promise<Decoded> {
  const url = URL.createObjectURL(blob);
  const image = new Image();
  image.src = url;
  const size = await image.decode().then(
    () => ({ width: image.naturalWidth, height: image.naturalHeight }),
    () => undefined,
  );
  return { url, size };
}
