import { toast } from '../../components/toasts.tsx';
import { draggingMessages } from '../../messages/dragging.ts';
import { moveTo, work } from '../actions/work.ts';
import { pull } from '../grid/band.ts';
import type { Grab } from './grab.ts';
import { folderBelow, HoveredFolder, pathOf } from './hovered-folder.ts';
import { type Refusal, refusalOf } from './refusal.ts';

/** Shown next to the pointer. */
export interface DragState {
  x: number;
  y: number;
  isCopy: boolean;
  /** Folder below the pointer. */
  folder: string | undefined;
  refusal: Refusal | undefined;
}

/** Minimum distance that distinguishes a drag from a click. */
const SLOP = 5;
/** Areas that scroll while the pointer is at their edges. */
const SCROLLED = '.files-scroll, .folder-tree';
/** Share of the speed of a rectangle: the target must not run away. */
const SLOWER = 1 / 4;

/** A drag from the press of the button to its release. Escape cancels it. */
export class Drag {
  readonly #grab: Grab;
  readonly #show: (state: DragState) => void;
  readonly #onEnd: () => void;
  readonly #hovered: HoveredFolder;
  readonly #abort = new AbortController();
  #pointer: PointerEvent;
  #isCopy = false;
  #hasBegun = false;
  #frame = 0;
  #state: DragState | undefined;
  /** The reason of the last folder: it costs a look through the listing. */
  #judged: { key: string; refusal: Refusal | undefined } | undefined;

  constructor(grab: Grab, show: (state: DragState) => void, onEnd: () => void) {
    this.#grab = grab;
    this.#pointer = grab.begun;
    this.#show = show;
    this.#onEnd = onEnd;
    this.#hovered = new HoveredFolder(grab.onOpen);
    const { signal } = this.#abort;
    addEventListener('pointermove', (event) => this.#move(event), { signal });
    addEventListener('pointerup', () => this.#drop(), { signal });
    addEventListener('pointercancel', () => this.#onEnd(), { signal });
    addEventListener('blur', () => this.#onEnd(), { signal });
    addEventListener('keydown', (event) => this.#key(event), { signal, capture: true });
    addEventListener('keyup', (event) => this.#key(event), { signal, capture: true });
  }

  /** Ends the drag without a drop. */
  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#abort.abort();
    this.#hovered.leave();
    delete document.documentElement.dataset.dragging;
  }

  #move(event: PointerEvent): void {
    if ((event.buttons & 1) === 0) {
      // The button was released before this code had been loaded.
      this.#onEnd();
      return;
    }
    const { clientX, clientY } = this.#grab.begun;
    this.#pointer = event;
    this.#isCopy = event.ctrlKey || event.altKey;
    if (!this.#hasBegun && Math.hypot(event.clientX - clientX, event.clientY - clientY) < SLOP) return;
    if (!this.#hasBegun) this.#begin(event.pointerId);
    this.#update();
  }

  #begin(pointerId: number): void {
    this.#hasBegun = true;
    // The final click must not hit an item, which may also be removed while a folder opens.
    document.documentElement.setPointerCapture(pointerId);
    document.documentElement.dataset.dragging = '';
    this.#frame = requestAnimationFrame(this.#follow);
  }

  #key(event: KeyboardEvent): void {
    if (!this.#hasBegun) return;
    if (event.key === 'Escape') this.#onEnd();
    else if (event.key === 'Control' || event.key === 'Alt') {
      this.#isCopy = event.ctrlKey || event.altKey;
      this.#update();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #update(): void {
    const { clientX, clientY } = this.#pointer;
    const element = this.#target();
    const folder = element && pathOf(element);
    const refusal = folder === undefined ? undefined : this.#refusalOf(folder);
    if (element) this.#hovered.over(element, refusal === undefined);
    else this.#hovered.over(undefined);
    const next: DragState = { x: clientX, y: clientY, isCopy: this.#isCopy, folder, refusal };
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    this.#state = next;
    this.#show(next);
  }

  /** Element of the folder below the pointer. */
  #target(): HTMLElement | undefined {
    const { clientX, clientY } = this.#pointer;
    const element = folderBelow(document.elementFromPoint(clientX, clientY));
    return element === this.#grab.home ? undefined : element;
  }

  #refusalOf(folder: string): Refusal | undefined {
    const key = `${this.#isCopy} ${folder}`;
    if (this.#judged?.key !== key) {
      const { target, has } = this.#grab;
      this.#judged = { key, refusal: refusalOf(target, folder, this.#isCopy, has) };
    }
    return this.#judged.refusal;
  }

  #drop(): void {
    if (this.#hasBegun) this.#update();
    const { target, onDropped } = this.#grab;
    const state = this.#state;
    this.#onEnd();
    if (state?.folder === undefined) return;
    const { folder, refusal, isCopy } = state;
    if (refusal !== undefined) {
      toast(draggingMessages.refused[refusal]);
      return;
    }
    onDropped(isCopy);
    void (isCopy ? work({ action: 'copy', destination: folder }, target) : moveTo(folder, target));
  }

  /** Scrolls at the edges. What is below a resting pointer changes, too, when a folder opens. */
  readonly #follow = (): void => {
    const { clientX, clientY } = this.#pointer;
    const inside = (value: number, end: number) => Math.max(0, Math.min(end - 1, value));
    const below = document.elementFromPoint(inside(clientX, innerWidth), inside(clientY, innerHeight));
    const area = below?.closest(SCROLLED);
    if (area) {
      const { top, height } = area.getBoundingClientRect();
      area.scrollTop += Math.round(pull(clientY - top, height) * SLOWER);
    }
    this.#update();
    this.#frame = requestAnimationFrame(this.#follow);
  };
}
