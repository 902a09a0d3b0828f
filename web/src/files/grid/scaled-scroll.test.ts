import { describe, expect, test } from 'vitest';
import { boxHeight, boxOffset, MAX_HEIGHT, type Scroll, scrolled } from './scaled-scroll.ts';

const small = { total: 500_000, window: 800 };
/** Two million list rows. */
const large = { total: 2_000_000 * 52, window: 800 };
const end = large.total - large.window;
const lastOffset = MAX_HEIGHT - large.window;

describe('a list that a box can be as high as', () => {
  test('is scrolled as the browser does it', () => {
    expect(boxHeight(small)).toBe(500_000);
    expect(scrolled({ top: 0, scrollTop: 0 }, 1234.5, small)).toEqual({ top: 1234.5, scrollTop: 1234.5 });
    expect([boxOffset(small, 300), boxOffset(small, 9e9), boxOffset(small, -5)]).toEqual([300, 499_200, 0]);
  });
});

describe('a list that is higher than a box can be', () => {
  test('has a box of the height that browsers draw', () => {
    expect(boxHeight(large)).toBe(8_000_000);
  });

  test('is gone through pixel by pixel with the wheel', () => {
    let at: Scroll = { top: 52_000_000, scrollTop: boxOffset(large, 52_000_000) };
    for (let turn = 0; turn < 200; turn++) {
      const next = scrolled(at, at.scrollTop + 120, large);
      expect(next.top).toBe(at.top + 120);
      at = next;
    }
  });

  test('is gone to by its share with the bar, and whole to both ends', () => {
    const from = { top: 0, scrollTop: 0 };
    expect(scrolled(from, lastOffset / 2, large).top).toBeCloseTo(end / 2, 3);
    expect(scrolled(from, lastOffset, large)).toEqual({ top: end, scrollTop: lastOffset });
    expect(scrolled({ top: end, scrollTop: lastOffset }, 0, large)).toEqual({ top: 0, scrollTop: 0 });
  });

  test('does not end before its first and its last row have been seen', () => {
    // With the wheel the box reaches its end before the list does.
    const nearEnd = scrolled({ top: end - 3000, scrollTop: lastOffset - 100 }, lastOffset, large);
    expect(nearEnd.top).toBe(end - 2900);
    expect(nearEnd.scrollTop).toBeLessThan(lastOffset);
    const nearStart = scrolled({ top: 3000, scrollTop: 100 }, 0, large);
    expect(nearStart).toEqual({ top: 2900, scrollTop: boxOffset(large, 2900) });
    expect(nearStart.scrollTop).toBeGreaterThan(0);
    expect(scrolled({ top: 60, scrollTop: 5 }, 0, large).scrollTop).toBeGreaterThan(0);
    expect(scrolled({ top: 3, scrollTop: 5 }, 0, large)).toEqual({ top: 0, scrollTop: 0 });
  });

  test('is put in line again when the wheel has gone far', () => {
    let at: Scroll = { top: 0, scrollTop: 0 };
    for (let turn = 0; turn < 2000; turn++) at = scrolled(at, at.scrollTop + 100, large);
    expect(at.top).toBe(200_000);
    expect(Math.abs(at.scrollTop - boxOffset(large, at.top))).toBeLessThanOrEqual(large.window);
  });
});
