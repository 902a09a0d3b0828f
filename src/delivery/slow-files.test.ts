import { describe, expect, test } from 'vitest';
import { unavailable } from '../errors.ts';
import { layerInput } from '../image/layers/layer.ts';
import { parsePath } from '../path.ts';
import { TaskFatal } from '../render/tasks.ts';
import { SlowFiles } from './slow-files.ts';

const PATH = parsePath('slow.pdf');
const LAYER = parsePath('logo.svg');

const requested = (page?: number, version = '1') => ({
  inputs: { original: { path: PATH, version } },
  options: page === undefined ? {} : { page },
});
const withLayer = (path: string) => ({
  inputs: { original: { path: parsePath(path), version: '1' }, [layerInput(LAYER)]: { path: LAYER, version: '1' } },
  options: {},
});
const ENDLESS = { outcome: 'endless drawing', reason: 'It takes too long.' } as const;
const REFUSED = expect.objectContaining({ status: 422, message: ENDLESS.reason });

describe('a document that takes too long', () => {
  test('is refused page by page at first, and as a whole after two pages', () => {
    const slow = new SlowFiles();
    slow.note(requested(), ENDLESS);
    expect(() => slow.check(requested(1))).toThrow(REFUSED);
    expect(() => slow.check(requested(2))).not.toThrow();
    slow.note(requested(2), ENDLESS);
    for (const page of [undefined, 2, 3, 200]) expect(() => slow.check(requested(page))).toThrow(REFUSED);
  });

  test('is no other version, and no file that fails at once', () => {
    const slow = new SlowFiles();
    for (const page of [1, 2]) slow.note(requested(page), ENDLESS);
    for (const page of [1, 2]) slow.note(requested(page, '2'), { outcome: 'undecodable', reason: 'It is damaged.' });
    expect(() => slow.check(requested(1, '2'))).not.toThrow();
  });

  test('is refused as a layer as well, whatever it lies over', () => {
    const slow = new SlowFiles();
    slow.note(withLayer('a.jpg'), { outcome: 'layer undecodable', reason: ENDLESS.reason, endless: LAYER });
    expect(() => slow.check(withLayer('b.jpg'))).toThrow(REFUSED);
    expect(() => slow.check({ inputs: { original: { path: LAYER, version: '1' } }, options: {} })).toThrow(REFUSED);
    expect(() =>
      slow.check({ inputs: { original: { path: parsePath('a.jpg'), version: '1' } }, options: {} }),
    ).not.toThrow();
  });
});

describe('a drawing that is given up at a large size', () => {
  const large = { ...ENDLESS, megapixels: 48 };
  const wide = (page?: number) => ({ ...requested(page), options: { ...requested(page).options, width: 8192 } });

  test('is refused to large requests alone', () => {
    const slow = new SlowFiles();
    slow.note(wide(), large);
    expect(() => slow.check(wide())).toThrow(REFUSED);
    expect(() => slow.check(requested())).not.toThrow();
    slow.note(wide(2), large);
    expect(() => slow.check(wide(3))).toThrow(REFUSED);
    expect(() => slow.check(requested(3))).not.toThrow();
  });

  test('stays a layer of other images', () => {
    const slow = new SlowFiles();
    const failure = { outcome: 'layer undecodable', reason: ENDLESS.reason, endless: LAYER, megapixels: 48 } as const;
    slow.note(withLayer('a.jpg'), failure);
    expect(() => slow.check(withLayer('b.jpg'))).not.toThrow();
  });
});

describe('a file that ends its worker', () => {
  const died = () => unavailable('It took too long.', 'render_timeout', 30, new TaskFatal('SIGKILL'));

  test('is heavy from the second time on, and still rendered', () => {
    const slow = new SlowFiles();
    const fatal = died();
    slow.noteError(requested(), fatal);
    // Another render may have waited for the same worker.
    slow.noteError(requested(2), fatal);
    expect(slow.isHeavy(requested())).toBe(false);
    slow.noteError(requested(7), died());
    expect([slow.isHeavy(requested(3)), slow.isHeavy(requested(3, '2'))]).toEqual([true, false]);
    expect(() => slow.check(requested())).not.toThrow();
  });

  test('is none that could not be rendered for another reason', () => {
    const slow = new SlowFiles();
    for (const _ of [1, 2, 3]) slow.noteError(requested(), unavailable('The queue is full.', 'queue_full'));
    expect(slow.isHeavy(requested())).toBe(false);
  });
});
