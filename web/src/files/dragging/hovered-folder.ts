import { REST_EVENT } from './rest-event.ts';

/** Time after which a folder opens. */
const REST_MS = 700;

/** Elements that take dropped items have the path of their folder as `data-folder`. */
export function folderBelow(element: Element | null): HTMLElement | undefined {
  return element?.closest<HTMLElement>('[data-folder]') ?? undefined;
}

export const pathOf = (element: HTMLElement): string => element.dataset.folder ?? '';

/** The listing of the folder that is open: it takes what is dropped between its items. */
const isOpenFolder = (element: HTMLElement): boolean => element.classList.contains('files-main');

/** Marks the folder below a drag with `data-drop-mark`, and opens it when the drag rests there. */
export class HoveredFolder {
  readonly #open: (path: string) => void;
  #element: HTMLElement | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(open: (path: string) => void) {
    this.#open = open;
  }

  /** @param isTaken false for a folder that refuses the items; undefined to mark nothing */
  over(element: HTMLElement | undefined, isTaken?: boolean): void {
    if (element !== this.#element) {
      this.leave();
      this.#element = element;
      if (element && !isOpenFolder(element)) this.#timer = setTimeout(() => this.#rest(element), REST_MS);
    }
    if (!element) return;
    const mark = isTaken === undefined ? undefined : isTaken ? 'taken' : 'refused';
    if (mark === element.dataset.dropMark) return;
    if (mark === undefined) delete element.dataset.dropMark;
    else element.dataset.dropMark = mark;
  }

  leave(): void {
    clearTimeout(this.#timer);
    if (this.#element) delete this.#element.dataset.dropMark;
    this.#element = undefined;
  }

  #rest(element: HTMLElement): void {
    const path = pathOf(element);
    const rest = new CustomEvent(REST_EVENT, { bubbles: true, cancelable: true, detail: path });
    if (element.isConnected && element.dispatchEvent(rest)) this.#open(path);
  }
}
