import { useEffect, useState } from 'react';
import type { Size } from './zoom.ts';

interface Loaded {
  url: string;
  /** Pixels of the image. */
  natural: Size;
}

export interface ShownImage {
  /** The requested image, or the former one until it has arrived. */
  loaded: Loaded | undefined;
  hasFailed: boolean;
  isLoading: boolean;
  retry(): void;
}

/** Loads and decodes an image before it replaces the former one. */
export function useImage(url: string): ShownImage {
  const [loaded, setLoaded] = useState<Loaded>();
  const [failed, setFailed] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a further attempt loads the same image again
  useEffect(() => {
    const image = new Image();
    let isWanted = true;
    image.src = url;
    image.decode().then(
      () => isWanted && setLoaded({ url, natural: { width: image.naturalWidth, height: image.naturalHeight } }),
      () => isWanted && setFailed(url),
    );
    return () => {
      isWanted = false;
      // The request would go on without anyone who waits for it.
      if (!image.complete) image.src = '';
    };
  }, [url, attempt]);
  return {
    loaded,
    hasFailed: failed === url && loaded?.url !== url,
    isLoading: loaded?.url !== url && failed !== url,
    retry() {
      setFailed(undefined);
      setAttempt((count) => count + 1);
    },
  };
}
