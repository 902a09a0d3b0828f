import { useEffect } from 'react';

/** Names the tab after the page that it shows. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Darkroom`;
  }, [title]);
}
