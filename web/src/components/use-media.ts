import { useCallback, useSyncExternalStore } from 'react';

/** Tablets and phones: details are a sheet, and the navigation shows icons. */
export const NARROW = '(max-width: 1024px)';
export const PHONE = '(max-width: 759px)';

/** True while a media query matches. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
