/** Rest of the pointer before a name appears. */
const OPEN_MS = 600;
/** Time to move the pointer onto the name. */
const CLOSE_MS = 200;
/** The next name appears without a rest. */
const WARM_MS = 400;

/** Button, link or badge whose name is shown. */
export interface Named {
  id: number;
  element: HTMLElement;
  label: string;
  /** Shortcut. */
  keys: string | undefined;
}

/** Name of a badge, or of a button or link that shows an icon and no word; undefined for others, and while its menu is open. */
function nameOf(element: HTMLElement): string | undefined {
  if (element.dataset.tip !== undefined) return element.dataset.tip;
  const label = element.getAttribute('aria-label');
  if (label === null || element.matches('[aria-haspopup][aria-expanded="true"]')) return undefined;
  return element.querySelector('svg') === null || /\p{L}/u.test(element.textContent) ? undefined : label;
}

const within = (target: EventTarget | null, selector: string) =>
  target instanceof Element ? (target.closest<HTMLElement>(selector) ?? undefined) : undefined;

/** Badges have their name in `data-tip`. */
const CONTROLS = 'button, a, [data-tip]';

/**
 * Finds the control below the pointer, or with the focus of the keyboard. Touch has neither. One set of listeners
 * serves all controls, also those that are no components of React Aria.
 * @param show called with the control whose name appears; undefined ends it
 */
export function watchNames(show: (named: Named | undefined) => void) {
  let lastId = 0;
  let shown: HTMLElement | undefined;
  let hovered: HTMLElement | undefined;
  let point = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closedAt = Number.NEGATIVE_INFINITY;
  let isByKeyboard = false;

  const close = () => {
    clearTimeout(timer);
    if (shown === undefined) return;
    shown = undefined;
    removed.disconnect();
    closedAt = performance.now();
    show(undefined);
  };
  const open = (element: HTMLElement) => {
    clearTimeout(timer);
    const label = element.isConnected ? nameOf(element) : undefined;
    if (label === undefined) return close();
    shown = element;
    removed.observe(document.body, { childList: true, subtree: true });
    show({ id: ++lastId, element, label, keys: element.dataset.keys });
  };
  const removed = new MutationObserver(() => shown?.isConnected || close());
  const leave = (isImmediate = false) => {
    clearTimeout(timer);
    if (isImmediate) close();
    else timer = setTimeout(close, CLOSE_MS);
  };

  const onMove = ({ target, pointerType, buttons, screenX, screenY }: PointerEvent) => {
    const at = `${screenX} ${screenY}`;
    // Browsers also report a pointer at rest when the page below it has changed.
    if (pointerType === 'touch' || buttons !== 0 || at === point) return;
    point = at;
    const control = within(target, CONTROLS);
    if (control === hovered) return;
    hovered = control;
    // Its own handlers keep it.
    if (within(target, '.tooltip') !== undefined) return;
    if (control === undefined || nameOf(control) === undefined) {
      if (shown === undefined) clearTimeout(timer);
      else leave();
      return;
    }
    const isWarm = shown !== undefined || performance.now() - closedAt < WARM_MS;
    clearTimeout(timer);
    if (isWarm) open(control);
    else timer = setTimeout(open, OPEN_MS, control);
  };
  const onPress = () => {
    isByKeyboard = false;
    close();
  };
  const onFocus = ({ target }: FocusEvent) => {
    const control = within(target, CONTROLS);
    if (isByKeyboard && control !== undefined) open(control);
    // The focus that moves into a dialog does not end the rest of the pointer.
    else if (shown !== undefined && shown !== hovered) close();
  };
  const onKey = (event: KeyboardEvent) => {
    // Focus that returns to a button after Escape or Enter needs no name.
    isByKeyboard = event.key === 'Tab' || event.key.startsWith('Arrow');
    if (event.key === 'Escape' && shown !== undefined) event.stopPropagation();
    if (!['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) close();
  };
  const ended = new AbortController();
  const options = { capture: true, passive: true, signal: ended.signal };
  addEventListener('pointermove', onMove, options);
  addEventListener('pointerdown', onPress, options);
  addEventListener('focusin', onFocus, options);
  addEventListener('blur', close, { signal: ended.signal });
  addEventListener('keydown', onKey, options);
  return {
    /** The pointer is on the name. */
    keep: () => clearTimeout(timer),
    leave,
    stop() {
      ended.abort();
      close();
    },
  };
}
