import { useSyncExternalStore } from 'react';

/** Lets components follow a value outside of React. */
export function listenable() {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    /** Called after the value has changed. */
    notify(): void {
      for (const listener of listeners) listener();
    },
    /** Hook that reads the value. @param read returns the same value until it has changed */
    use: <Value>(read: () => Value): Value => useSyncExternalStore(subscribe, read),
  };
}
