import { type ComponentType, type ReactNode, useEffect, useReducer } from 'react';

/** What a page needs first has come by then, on a slow line too. */
const QUIET_MS = 2000;

/** Safari has no `requestIdleCallback`. */
const whenIdle: (run: () => void) => void = globalThis.requestIdleCallback ?? setTimeout;

interface LazyComponent<Props> {
  (props: Props): ReactNode;
  /** Loads the code ahead: somebody points at what shows it. */
  preload(): void;
}

/**
 * A component whose code comes when it is first shown, or before that, once the page is idle. Until then `placeholder`
 * is in its place.
 *
 * Not `React.lazy`: that suspends even when the code is there, and React waits up to 300 ms before it shows what
 * follows a suspension.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: ReactNode = null,
): LazyComponent<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const loaded = (): Promise<void> => {
    loading ??= load().then(
      (component) => {
        Loaded = component;
      },
      // A browser does not ask again for a script that it could not have. The shell offers to reload: `vite:preloadError`.
      () => undefined,
    );
    return loading;
  };
  setTimeout(() => whenIdle(() => navigator.onLine && void loaded()), QUIET_MS);
  function Part(props: Props) {
    const [, showAgain] = useReducer((times: number) => times + 1, 0);
    useEffect(() => {
      if (Loaded === undefined) void loaded().then(showAgain);
    }, []);
    return Loaded === undefined ? placeholder : <Loaded {...props} />;
  }
  return Object.assign(Part, { preload: () => void loaded() });
}
