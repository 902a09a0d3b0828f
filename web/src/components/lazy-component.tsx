import { type ComponentType, cloneElement, isValidElement, type ReactNode, useLayoutEffect, useReducer } from 'react';
import { messages } from '../messages/en.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { next, preloadWhenIdle } from './preloading.ts';
import { Empty } from './states.tsx';

interface LazyComponent<Props> {
  (props: Props): ReactNode;
  /** Loads the code ahead, for example on hover. Never rejects. */
  preload(): Promise<void>;
}

/** Shown where the code of a component could not be loaded. */
type Failure = (props: { onRetry(): void }) => ReactNode;

/** Those whose last attempt failed. */
const failed = new Set<() => Promise<boolean>>();

/** Loads again what could not be loaded, and continues preloading: the service is back. */
export function retryFailed(): void {
  for (const load of failed) void load();
  next();
}

/**
 * Component whose code is loaded on first use, or earlier when the page is idle; shows `placeholder` until then.
 * `React.lazy` suspends even for loaded code, and React then delays the content by up to 300 ms. A failure is shown in
 * place and can be retried: the page is never reloaded, since an unreachable service would leave a page of the browser.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: ReactNode = null,
  Failed: Failure = PartFailed,
): LazyComponent<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let loading: Promise<boolean> | undefined;
  const mounted = new Set<() => void>();
  const notify = () => {
    for (const showAgain of mounted) showAgain();
  };
  const attempt = async (): Promise<boolean> => {
    try {
      Loaded = await (failed.delete(loaded) ? loadAgain(load) : load());
    } catch {
      // The shell asks whether the service is there, and offers a reload after an upgrade.
      failed.add(loaded);
    }
    loading = undefined;
    notify();
    return Loaded !== undefined;
  };
  const loaded = (): Promise<boolean> => {
    if (Loaded === undefined) loading ??= attempt();
    return loading ?? Promise.resolve(true);
  };
  preloadWhenIdle(loaded);
  function Part(props: Props) {
    const [, showAgain] = useReducer((times: number) => times + 1, 0);
    useLayoutEffect(() => {
      mounted.add(showAgain);
      void loaded();
      return () => void mounted.delete(showAgain);
    }, []);
    if (Loaded !== undefined) return <Loaded {...props} />;
    if (!failed.has(loaded)) return placeholder;
    const notice = <Failed onRetry={loaded} />;
    // In the frame of the component, if it has one.
    return isValidElement(placeholder) ? cloneElement(placeholder, undefined, notice) : notice;
  }
  return Object.assign(Part, { preload: async () => void (await loaded()) });
}

/** Page of a route. A failure is shown within the layout; that of TanStack Router reloads the page. */
export function lazyRouteComponent<Module extends Record<Name, ComponentType>, const Name extends string>(
  load: () => Promise<Module>,
  name: Name,
): LazyComponent<object> {
  return lazyComponent(async () => (await load())[name], null, PageFailed);
}

/** Style sheets that failed are not requested again by `import()`. */
function loadAgain<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (link.sheet === null) link.replaceWith(link.cloneNode());
  return load();
}

function PartFailed({ onRetry }: { onRetry(): void }) {
  return (
    <div className="notice is-bad part-failed" role="alert">
      <Icon name="alert" />
      <div>{messages.states.partFailed}</div>
      <Button onPress={onRetry}>{messages.states.retry}</Button>
    </div>
  );
}

function PageFailed({ onRetry }: { onRetry(): void }) {
  return (
    <Empty
      icon="offline"
      title={messages.states.failed}
      isPage
      action={<Button onPress={onRetry}>{messages.states.retry}</Button>}
    >
      <p role="alert">{messages.states.partFailed}</p>
    </Empty>
  );
}
