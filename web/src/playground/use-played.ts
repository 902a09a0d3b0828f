import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PlaygroundSearch } from './address.ts';

/** Debounce of the URL and the preview. */
const SETTLED_MS = 200;

/** Path in the URL; empty if none is chosen. */
export function usePath(): string {
  const { _splat = '' } = useParams({ strict: false }) as { _splat?: string };
  return _splat;
}

/** Search parameters and their setter. */
export function usePlaygroundSearch() {
  const search = useSearch({ strict: false }) as PlaygroundSearch;
  const navigate = useNavigate();
  const change = useCallback(
    (next: { [Name in keyof PlaygroundSearch]?: PlaygroundSearch[Name] | undefined }) =>
      void navigate({
        to: '.',
        search: ((old: object) => ({ ...old, ...next })) as never,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return [search, change] as const;
}

/**
 * Typed segment and its settled value, which is in the URL. Browsers throttle URL changes below the rate of a slider.
 */
export function useSegment() {
  const [{ t = '' }, change] = usePlaygroundSearch();
  const [typed, setTyped] = useState(t);
  const written = useRef(t);
  useEffect(() => {
    // The user went back or opened another link.
    if (t === written.current) return;
    written.current = t;
    setTyped(t);
  }, [t]);
  useEffect(() => {
    if (typed === written.current) return;
    const timer = setTimeout(() => {
      written.current = typed;
      change({ t: typed === '' ? undefined : typed });
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [typed, change]);
  return { typed, settled: t, setTyped };
}
