import { useEffect, useState } from 'react';
import { fetchVariant, type Variant } from '../api/playground.ts';
import { type Decoded, decode } from '../components/comparison/decoded.ts';

/** `Accept` headers of the simulated browsers. */
export const ACCEPTS = {
  avif: 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
  webp: 'image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
  old: 'image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
};

/** Its object URL is valid until the next preview. */
export interface Preview extends Variant, Decoded {
  /** JSON result, formatted. */
  facts: string | undefined;
}

export interface PreviewState {
  preview: Preview | undefined;
  error: unknown;
  isBusy: boolean;
  retry(): void;
}

/**
 * Renders a segment; undefined renders nothing. The previous result stays until the next arrives; superseded requests
 * are aborted.
 */
export function usePreview(path: string, segment: string | undefined, accept: string): PreviewState {
  const [preview, setPreview] = useState<Preview>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(true);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt requests again.
  useEffect(() => {
    if (segment === undefined) return;
    const leaving = new AbortController();
    setBusy(true);
    render(path, { segment, accept, signal: leaving.signal })
      .then(
        (next) => {
          if (leaving.signal.aborted) return URL.revokeObjectURL(next.url);
          setPreview(next);
          setError(undefined);
        },
        (problem) => leaving.signal.aborted || setError(problem),
      )
      .finally(() => leaving.signal.aborted || setBusy(false));
    return () => leaving.abort();
  }, [path, segment, accept, attempt]);
  useEffect(() => () => URL.revokeObjectURL(preview?.url ?? ''), [preview]);
  return { preview, error, isBusy, retry: () => setAttempt(attempt + 1) };
}

async function render(path: string, request: Parameters<typeof fetchVariant>[1]): Promise<Preview> {
  const variant = await fetchVariant(path, request);
  const facts = variant.type === 'application/json' ? await spelledOut(variant.blob) : undefined;
  return { ...variant, ...(await decode(variant.blob)), facts };
}

async function spelledOut(json: Blob): Promise<string> {
  return JSON.stringify(JSON.parse(await json.text()), undefined, 2);
}
