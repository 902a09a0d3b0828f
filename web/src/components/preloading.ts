/** The first load of a page has finished by then, on slow connections too. */
const QUIET_MS = 2000;
/** Requests at a time: those of the page come first. */
const MAX_PARALLEL = 2;

/** Safari has no `requestIdleCallback`. */
const whenIdle: (run: () => void) => void = globalThis.requestIdleCallback ?? setTimeout;

/** Loads code. @returns false if it could not be loaded */
type Load = () => Promise<boolean>;

const waiting: Load[] = [];
let running = 0;
let isReady = false;

setTimeout(() => {
  isReady = true;
  next();
}, QUIET_MS);

/** Loads code when the page is idle, so that it is there when it is needed or the service is away. */
export function preloadWhenIdle(load: Load): void {
  waiting.push(load);
  next();
}

/** Continues after an outage. */
export function next(): void {
  if (!isReady || savesData() || !navigator.onLine) return;
  while (running < MAX_PARALLEL && waiting.length > 0) {
    const load = waiting.shift();
    running++;
    whenIdle(() => void run(load));
  }
}

async function run(load: Load | undefined): Promise<void> {
  const isLoaded = await load?.();
  running--;
  // After a failure the rest would fail as well.
  if (isLoaded === false) waiting.unshift(load as Load);
  else next();
}

/** True if the person pays for data, or waits long for it. Other browsers do not say so. */
function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } };
  return connection?.saveData === true || /2g$/.test(connection?.effectiveType ?? '');
}
