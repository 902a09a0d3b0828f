import { describe, expect, test } from 'vitest';
import { unavailable } from '../errors.ts';
import { layerInput } from '../image/layers/layer.ts';
import { parsePath } from '../path.ts';
import { TaskFatal } from '../render/tasks.ts';
import { SlowFiles } from './slow-files.ts';

const PATH = parsePath('slow.pdf');
const LAYER = parsePath('logo.svg');

const wanted = (page?: number, version = '1') => ({
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
    slow.note(wanted(), ENDLESS);
    expect(() => slow.check(wanted(1))).toThrow(REFUSED);
    expect(() => slow.check(wanted(2))).not.toThrow();
    slow.note(wanted(2), ENDLESS);
    for (const page of [undefined, 2, 3, 200]) expect(() => slow.check(wanted(page))).toThrow(REFUSED);
  });

  test('is no other version, and no file that fails at once', () => {
    const slow = new SlowFiles();
    for (const page of [1, 2]) slow.note(wanted(page), ENDLESS);
    for (const page of [1, 2]) slow.note(wanted(page, '2'), { outcome: 'undecodable', reason: 'It is damaged.' });
    expect(() => slow.check(wanted(1, '2'))).not.toThrow();
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
  const wide = (page?: number) => ({ ...wanted(page), options: { ...wanted(page).options, width: 8192 } });

  test('is refused to large requests alone', () => {
    const slow = new SlowFiles();
    slow.note(wide(), large);
    expect(() => slow.check(wide())).toThrow(REFUSED);
    expect(() => slow.check(wanted())).not.toThrow();
    slow.note(wide(2), large);
    expect(() => slow.check(wide(3))).toThrow(REFUSED);
    expect(() => slow.check(wanted(3))).not.toThrow();
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
    slow.noteError(wanted(), fatal);
    // Another render may have waited for the same worker.
    slow.noteError(wanted(2), fatal);
    expect(slow.isHeavy(wanted())).toBe(false);
    slow.noteError(wanted(7), died());
    expect([slow.isHeavy(wanted(3)), slow.isHeavy(wanted(3, '2'))]).toEqual([true, false]);
    expect(() => slow.check(wanted())).not.toThrow();
  });

  test('is none that could not be rendered for another reason', () => {
    const slow = new SlowFiles();
    for (const _ of [1, 2, 3]) slow.noteError(wanted(), unavailable('The queue is full.', 'queue_full'));
    expect(slow.isHeavy(wanted())).toBe(false);
  });
});
