import { type ComponentType, type ReactNode, useEffect, useReducer } from 'react';

/** The first load of a page has finished by then, on slow connections too. */
const QUIET_MS = 2000;

/** Safari has no `requestIdleCallback`. */
const whenIdle: (run: () => void) => void = globalThis.requestIdleCallback ?? setTimeout;

interface LazyComponent<Props> {
  (props: Props): ReactNode;
  /** Loads the code ahead, for example on hover. */
  preload(): void;
}

/**
 * Component whose code is loaded on first use, or earlier when the page is idle; shows `placeholder` until then.
 * `React.lazy` suspends even for loaded code, and React then delays the content by up to 300 ms.
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
      // Browsers do not retry a failed script. The shell offers a reload on `vite:preloadError`.
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
