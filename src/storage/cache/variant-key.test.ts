import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePath, type StoragePath } from '../../path.ts';
import { type VariantInputs, variantFolder, variantKey } from './variant-key.ts';

describe('keys', () => {
  const input = fc.record({
    path: fc.string({ minLength: 1 }).map((text) => text as StoragePath),
    version: fc.string(),
  });
  const identity = fc.record({
    inputs: fc.record({ original: input, logo: input }, { requiredKeys: ['original'] }) as fc.Arbitrary<VariantInputs>,
    transformation: fc.string(),
    format: fc.constantFrom('webp', 'avif', 'fallback'),
    fonts: fc.option(fc.string(), { nil: undefined }),
  });

  test('the same for the same, another for anything else', () => {
    fc.assert(
      fc.property(identity, identity, (one, other) => {
        const isSame = JSON.stringify(Object.values(one)) === JSON.stringify(Object.values(other));
        expect(variantKey(one)).toBe(variantKey({ ...one }));
        expect(variantKey(one) === variantKey(other)).toBe(isSame);
      }),
    );
  });

  test('text that moves from one part to the next is another key', () => {
    const from = (path: string, version: string) => ({ inputs: { original: { path: parsePath(path), version } } });
    const rest = { transformation: 'c', format: 'd' };
    const base = { ...from('a', 'b'), ...rest };
    const moved = [
      { ...from('ab', ''), ...rest },
      { ...from('a', 'bc'), ...rest, transformation: '' },
      { ...from('a","b', ''), ...rest },
    ];
    expect(new Set([base, ...moved].map(variantKey)).size).toBe(4);
  });

  test('path and version of every input count, the order in which they are named does not', () => {
    const original = { path: parsePath('a'), version: '1' };
    const logo = { path: parsePath('logo.png'), version: '1' };
    const mask = { path: parsePath('mask.png'), version: '1' };
    const keyOf = (inputs: object) =>
      variantKey({ inputs: { original, ...inputs } as VariantInputs, transformation: 'w_1', format: 'webp' });
    const keys = [{}, { logo }, { mask: logo }, { logo: mask }, { logo: { ...logo, version: '2' } }, { logo, mask }];
    expect(new Set(keys.map(keyOf)).size).toBe(keys.length);
    expect(keyOf({ mask, logo })).toBe(keyOf({ logo, mask }));
  });

  test('of existing variants stay as they are, unless the pipeline gives other bytes', () => {
    const inputs = { original: { path: parsePath('a/b.jpg'), version: 'v' } };
    expect(variantKey({ inputs, transformation: 'w_400', format: 'webp' })).toBe(
      'eb5b22ccdb37eb5c8350653e871574eda2761cc9',
    );
  });

  test('of files in a space are those of their paths in the library', () => {
    const version = 'v';
    const keyOf = (inputs: VariantInputs) => variantKey({ inputs, transformation: 'w_400', format: 'webp' });
    const inSpace = { root: parsePath('acme'), path: parsePath('a/b.jpg'), version };
    const inLibrary = { path: parsePath('acme/a/b.jpg'), version };
    expect(keyOf({ original: inSpace })).toBe(keyOf({ original: inLibrary }));
    expect(keyOf({ original: inSpace, logo: inSpace })).toBe(keyOf({ original: inLibrary, logo: inLibrary }));
    const inOther = { ...inSpace, root: parsePath('other') };
    const [one, other] = [{ original: inSpace }, { original: inOther }].map(keyOf);
    expect(one).not.toBe(other);
    expect(keyOf({ original: { ...inSpace, root: undefined } })).toBe(
      keyOf({ original: { path: inSpace.path, version } }),
    );
    expect(keyOf({ original: inSpace })).toBe('f0e26240b45173237dd676495bf5fd01406dd852');
  });

  test('two originals never share a folder, not even when one is below the other', () => {
    const folders = ['a', 'a/b', 'a/b/c', 'b', 'A', 'a ', 'a.jpg'].map((path) => variantFolder(parsePath(path)));
    expect(new Set(folders).size).toBe(7);
    for (const folder of folders) expect(folder).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{38}$/);
  });
});
