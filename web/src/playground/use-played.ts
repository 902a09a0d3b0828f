import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PlaygroundSearch } from './address.ts';

/** Milliseconds without a change after which the address and the preview follow. */
const SETTLED_MS = 200;

/** The file of the address; empty while none is chosen. */
export function usePath(): string {
  const { _splat = '' } = useParams({ strict: false }) as { _splat?: string };
  return _splat;
}

/** What the address says beside the file, and how it is changed. */
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
 * The segment as it is typed, and as it has settled; the settled one is in the address. Browsers refuse to change an address as often
 * as a slider moves.
 */
export function useSegment() {
  const [{ t = '' }, change] = usePlaygroundSearch();
  const [typed, setTyped] = useState(t);
  const written = useRef(t);
  useEffect(() => {
    // Somebody went back, or opened another link.
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
