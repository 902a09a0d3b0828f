/** Selector of the item in the tab order: the focus returns to it. */
export const TAB_STOP = '[data-index][tabindex="0"]';

/**
 * Index of the item that a press grabs; undefined on empty ground, where a selection rectangle begins. The sides of a
 * list row are ground, because rows leave none between them.
 * @param x position in the window, in pixels
 */
export function itemAt(target: EventTarget, x: number): number | undefined {
  const item = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
  if (!item) return undefined;
  const { left, right } = item.getBoundingClientRect();
  const { paddingLeft, paddingRight } = getComputedStyle(item);
  const isInside = x >= left + Number.parseFloat(paddingLeft) && x <= right - Number.parseFloat(paddingRight);
  return isInside ? Number(item.dataset.index) : undefined;
}
