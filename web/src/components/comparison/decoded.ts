/** A picture that the page holds. */
export interface Decoded {
  /** Of its bytes, until it is revoked. */
  url: string;
  /** In pixels; undefined when this browser cannot decode it. */
  size: { width: number; height: number } | undefined;
}

/** Makes an address of the bytes of a picture, and finds out how large it is. */
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
