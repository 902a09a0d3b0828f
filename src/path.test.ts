import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpProblem } from './errors.ts';
import {
  baseName,
  childPath,
  copyName,
  encodePath,
  extensionOf,
  isWithin,
  newChildPath,
  numberedName,
  parentOf,
  parseNewPath,
  parsePath,
  parseUrlPath,
  quote,
  ROOT,
  type StoragePath,
  splitName,
  uploadFolder,
  uploadPath,
  withFoldersAbove,
} from './path.ts';

const E_ACUTE_NFC = '\u00e9';
const E_ACUTE_NFD = 'e\u0301';

/** Texts that are rich in what paths stumble over. */
const trickyText = fc
  .array(
    fc.oneof(
      fc.constantFrom('/', '.', '..', '\\', '\0', '%', '%2F', '%2e', '%00', '%C3', ' ', '#', '?', '+', E_ACUTE_NFD),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.integer({ min: 0xd7ff, max: 0xe000 }).map((code) => String.fromCharCode(code)) }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** Paths that exist: whatever `parsePath` lets through. */
const storagePath = trickyText
  .map((text) => resultOf(() => parsePath(text)))
  .filter((path): path is StoragePath => path !== undefined);

function resultOf<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function expectBadRequest(read: () => unknown): void {
  expect(read).toThrow(expect.objectContaining({ name: 'HttpProblem', status: 400 }));
}

describe('the path of a URL', () => {
  test.each([
    ['a/b.jpg', 'a/b.jpg'],
    ['', ''],
    ['//a///b.jpg/', 'a/b.jpg'],
    ['summer%202026/my%20photo.jpg', 'summer 2026/my photo.jpg'],
    ['a%2Cb%26c%40d.jpg', 'a,b&c@d.jpg'],
    ['a,b&c@d.jpg', 'a,b&c@d.jpg'],
    ['100%25.jpg', '100%.jpg'],
    ['a+b.jpg', 'a+b.jpg'],
    ['%E6%97%A5%E6%9C%AC.jpg', '日本.jpg'],
    ['...', '...'],
    ['.hidden/..name', '.hidden/..name'],
    ['a%3Fb%23c.jpg', 'a?b#c.jpg'],
  ])('%j is the file %j', (raw, path) => {
    expect(parseUrlPath(raw)).toBe(path);
  });

  test('is decoded once, not twice', () => {
    expect(parseUrlPath('a%252Fb')).toBe('a%2Fb');
  });

  test('is put in NFC', () => {
    expect(parseUrlPath(encodeURIComponent(E_ACUTE_NFD))).toBe(E_ACUTE_NFC);
    expect(parseUrlPath(E_ACUTE_NFD)).toBe(E_ACUTE_NFC);
  });

  test.each(['a%2Fb', 'a%2fb', 'a%5Cb', 'a\\b', 'a%00b', '..', 'a/../b', '.', 'a/./b', '%2e%2E/b', 'a/%2E', '%2e.'])(
    '%j is refused with 400',
    (raw) => {
      expectBadRequest(() => parseUrlPath(raw));
    },
  );

  test.each(['%', '%zz', '%C3', '%ED%A0%80', 'a/%E6%97'])(
    '%j is no percent-encoded UTF-8 and refused with 400',
    (raw) => {
      expectBadRequest(() => parseUrlPath(raw));
    },
  );

  test('says what was expected and received', () => {
    expect(() => parseUrlPath('a/../b')).toThrow('Expected names without "\\", NUL, "." and "..", received "a/../b".');
  });

  test('of any text is a path or a 400, never another error', () => {
    fc.assert(
      fc.property(trickyText, (text) => {
        for (const read of [() => parseUrlPath(text), () => parsePath(text), () => uploadPath(ROOT, text)]) {
          try {
            read();
          } catch (error) {
            expect(error).toBeInstanceOf(HttpProblem);
            expect((error as HttpProblem).status).toBe(400);
          }
        }
      }),
    );
  });

  test('encoding and parsing are inverses', () => {
    fc.assert(fc.property(storagePath, (path) => void expect(parseUrlPath(encodePath(path))).toBe(path)));
  });

  test('a parsed path parsed again is the same path', () => {
    fc.assert(fc.property(storagePath, (path) => void expect(parsePath(path)).toBe(path)));
  });

  test('a path never leads out of the root', () => {
    fc.assert(
      fc.property(storagePath, (path) => {
        for (const name of path.split('/')) expect(['.', '..']).not.toContain(name);
        expect(path).not.toMatch(/^\/|\/$|\/\/|\0|\\/);
      }),
    );
  });
});

describe('a path given as text', () => {
  test('is not percent-decoded', () => {
    expect(parsePath('a%2Fb.jpg')).toBe('a%2Fb.jpg');
  });

  test.each(['a\\b', 'a\0', '..', 'a/..', './a'])('%j is refused with 400', (text) => {
    expectBadRequest(() => parsePath(text));
  });

  test('that is no Unicode (half of a surrogate pair) is refused with 400: no URL could name it', () => {
    expectBadRequest(() => parsePath('a\ud800.jpg'));
  });

  test('a name of 255 bytes works, one of 256 is refused with 400', () => {
    const name = `${'é'.repeat(125)}a.jpg`;
    expect(Buffer.byteLength(name)).toBe(255);
    expect(parsePath(`folder/${name}`)).toBe(`folder/${name}`);
    expectBadRequest(() => parsePath(`folder/a${name}`));
    expectBadRequest(() => parseUrlPath(encodePath(`a${name}` as StoragePath)));
  });

  test('the length of a name is counted after NFC', () => {
    expect(parsePath(E_ACUTE_NFD.repeat(127))).toBe(E_ACUTE_NFC.repeat(127));
  });

  test('a path of more than 1,024 bytes is refused with 400', () => {
    const folder = 'f'.repeat(255);
    expect(parsePath([folder, folder, folder, folder].join('/'))).toHaveLength(1023);
    expectBadRequest(() => parsePath([folder, folder, folder, folder, 'a'].join('/')));
  });
});

describe('a child of a folder', () => {
  test('is the folder and the name', () => {
    expect(childPath(parsePath('a/b'), 'c.jpg')).toBe('a/b/c.jpg');
    expect(childPath(ROOT, 'c.jpg')).toBe('c.jpg');
  });

  test.each(['', 'a/b', '/a', '..', '.', 'a\\b'])('cannot be %j', (name) => {
    expectBadRequest(() => childPath(parsePath('a'), name));
  });
});

describe('a name of spaces alone', () => {
  test.each([' ', '   ', '\u2003', '\u00a0', '\u3000 \ufeff'])('%j is given to nothing: 400', (blank) => {
    for (const read of [
      () => parseNewPath(blank),
      () => parseNewPath(`trips/${blank}/rome`),
      () => newChildPath(parsePath('a'), blank),
      () => uploadPath(ROOT, blank),
      () => uploadPath(ROOT, `${blank}/a.png`),
      () => uploadFolder(`trips/${blank}`),
    ]) {
      expectBadRequest(read);
    }
  });

  test('is refused after an upload was cleaned, and the answer says what was expected and received', () => {
    expect(() => uploadPath(ROOT, '# #')).toThrow('Expected names of more than spaces, received " ".');
    expect(() => newChildPath(ROOT, '  ')).toThrow('Expected names of more than spaces, received "  ".');
  });

  test('that is there already can be read, renamed and deleted', () => {
    expect(parseUrlPath('%20/a.png')).toBe(' /a.png');
    expect(childPath(parsePath(' '), ' ')).toBe(' / ');
    expect(newChildPath(parsePath(' '), 'a.png')).toBe(' /a.png');
  });

  test('is not one that has spaces around or inside: those are kept', () => {
    expect(parseNewPath('/ my trips /rome 1 ')).toBe(' my trips /rome 1 ');
    expect(newChildPath(ROOT, ' a b .png')).toBe(' a b .png');
    expect(uploadPath(uploadFolder(' in '), ' .png')).toBe(' in / .png');
  });
});

describe('parts of a path', () => {
  test('the last name, its folder, its extension', () => {
    const path = parsePath('a/b/Photo.Final.JPG');
    expect(baseName(path)).toBe('Photo.Final.JPG');
    expect(parentOf(path)).toBe('a/b');
    expect(extensionOf(path)).toBe('jpg');
    expect(splitName('Photo.Final.JPG')).toEqual({ stem: 'Photo.Final', extension: '.JPG' });
  });

  test('a file in the root lies in the root', () => {
    expect(parentOf(parsePath('photo.jpg'))).toBe(ROOT);
  });

  test('neither a leading dot nor the dot of a folder starts an extension', () => {
    expect(extensionOf('a/.hidden')).toBe('');
    expect(extensionOf('a.b/photo')).toBe('');
    expect(splitName('.hidden')).toEqual({ stem: '.hidden', extension: '' });
  });

  test('a folder holds itself and what is in it, but not a folder whose name begins the same', () => {
    const folder = parsePath('a/b');
    expect(isWithin(parsePath('a/b'), folder)).toBe(true);
    expect(isWithin(parsePath('a/b/c.jpg'), folder)).toBe(true);
    expect(isWithin(parsePath('a/bc'), folder)).toBe(false);
    expect(isWithin(parsePath('a'), folder)).toBe(false);
    expect(isWithin(parsePath('a'), ROOT)).toBe(true);
  });

  test('a text in a message is quoted and cut', () => {
    expect(quote('a"\n')).toBe('"a\\"\\n"');
    expect(quote('x'.repeat(101))).toBe(`"${'x'.repeat(100)}…"`);
  });
});

describe('a name that is taken', () => {
  test.each([
    ['photo.jpg', 1, 'photo (1).jpg'],
    ['photo.jpg', 12, 'photo (12).jpg'],
    ['a.b.jpg', 1, 'a.b (1).jpg'],
    ['README', 1, 'README (1)'],
    ['.hidden', 1, '.hidden (1)'],
  ])('%j gets the number %i before its extension', (name, n, expected) => {
    expect(numberedName(name, n)).toBe(expected);
  });

  test.each([
    ['photo.jpg', 0, 'photo copy.jpg'],
    ['photo.jpg', 1, 'photo copy (1).jpg'],
    ['photo.jpg', 2, 'photo copy (2).jpg'],
    ['README', 0, 'README copy'],
  ])('the copy of %j, number %i', (name, n, expected) => {
    expect(copyName(name, n)).toBe(expected);
  });

  test('a name that would grow over 255 bytes is shortened before the number, between whole characters', () => {
    const name = `${'é'.repeat(125)}a.jpg`;
    for (const longer of [numberedName(name, 1), copyName(name, 0), numberedName(`${'😀'.repeat(62)}.jpg`, 10)]) {
      expect(Buffer.byteLength(longer)).toBeLessThanOrEqual(255);
      expect(longer.endsWith('.jpg')).toBe(true);
      expect(longer.isWellFormed()).toBe(true);
    }
    expect(numberedName(name, 1)).toBe(`${'é'.repeat(123)} (1).jpg`);
  });

  test('an extension that leaves no room for a number is shortened like any name', () => {
    const name = `a.${'x'.repeat(253)}`;
    expect(numberedName(name, 1)).toBe(`a.${'x'.repeat(249)} (1)`);
  });

  test('whatever the name, the numbered one is another name that can be stored', () => {
    fc.assert(
      fc.property(storagePath, fc.integer({ min: 1, max: 10_000 }), (path, n) => {
        const name = baseName(path) || 'a';
        const numbered = numberedName(name, n);
        expect(numbered).not.toBe(name);
        expect(childPath(ROOT, numbered)).toBe(numbered);
      }),
    );
  });
});

describe('the name of an upload', () => {
  const folder = parsePath('photos');

  test.each([
    ['a.jpg', 'photos/a.jpg'],
    ['sub/a.jpg', 'photos/sub/a.jpg'],
    ['sub\\a.jpg', 'photos/sub/a.jpg'],
    ['C:\\Users\\me\\a.jpg', 'photos/C:/Users/me/a.jpg'],
    ['../../etc/a.jpg', 'photos/etc/a.jpg'],
    ['./a.jpg', 'photos/a.jpg'],
    ['/a.jpg', 'photos/a.jpg'],
    ['a#b?c%d.jpg', 'photos/abcd.jpg'],
    ['a\u0000\u0007\u007f\u0085b.jpg', 'photos/ab.jpg'],
    ['.#./a.jpg', 'photos/a.jpg'],
    ['a,b&c@d (1).jpg', 'photos/a,b&c@d (1).jpg'],
    ['  spaced  .jpg', 'photos/  spaced  .jpg'],
    ['日本 😀.jpg', 'photos/日本 😀.jpg'],
    [`${E_ACUTE_NFD}.jpg`, `photos/${E_ACUTE_NFC}.jpg`],
    ['a%2Fb.jpg', 'photos/a2Fb.jpg'],
  ])('%j is stored as %j', (name, path) => {
    expect(uploadPath(folder, name)).toBe(path);
  });

  test('in the root has no folder', () => {
    expect(uploadPath(ROOT, 'a.jpg')).toBe('a.jpg');
  });

  test.each(['', '/', '..', '..', '#?%', '\u0000'])('%j leaves nothing and is refused with 400', (name) => {
    expectBadRequest(() => uploadPath(folder, name));
  });

  test('over 255 bytes is refused with 400', () => {
    expectBadRequest(() => uploadPath(folder, `${'a'.repeat(252)}.jpg`));
  });

  test('never leaves its folder', () => {
    fc.assert(
      fc.property(trickyText, (name) => {
        const path = resultOf(() => uploadPath(folder, name));
        if (path !== undefined) expect(isWithin(path, folder) && path !== folder).toBe(true);
      }),
    );
  });
});

test('a path and the folders above it are listed from the nearest, without the root', () => {
  expect(withFoldersAbove(parsePath('a/b/c.png'))).toEqual(['a/b/c.png', 'a/b', 'a']);
  expect(withFoldersAbove(ROOT)).toEqual([]);
});
