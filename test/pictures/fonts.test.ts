import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fonts, openFonts } from '../../src/render/fonts.ts';
import { renamed, resized, shippedFont } from './font-files.ts';
import { describeWithDebianFonts, type Look, paintIn } from './texts.ts';

/** A noncharacter, which no font will ever contain. */
const NOWHERE = '\u{10ffff}';

const SCRIPTS = {
  Latin: ['Hello', 'Grüße', 'Łódź', 'Việt'],
  Greek: ['Καλημέρα'],
  Cyrillic: ['Привет'],
  Arabic: ['مرحبا', 'سلام'],
  Hebrew: ['שלום'],
  Thai: ['สวัสดี'],
  Devanagari: ['नमस्ते'],
};

let folder: string;
let fonts: Fonts;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-scripts-'));
  fonts = await openFonts({ links: join(folder, 'links'), own: join(folder, 'none'), system: [] });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const paint = (texts: Parameters<typeof paintIn>[1], { configFile }: Fonts = fonts) =>
  paintIn({ FONTCONFIG_FILE: configFile }, texts);

/** Returns the size of the box for missing letters: one size, and another one from U+10000 on. */
const sizeOf = ({ width, height }: Look) => `${width}x${height}`;

async function expectLetters(texts: readonly string[], among: Fonts): Promise<void> {
  const letters = [...new Set(texts.join(''))];
  const [near, far, ...looks] = await paint(['\u0378', NOWHERE, ...letters], among);
  const boxes = [near, far].map((look) => look && sizeOf(look));
  for (const [n, look] of looks.entries()) {
    expect(look.ink, letters[n]).toBeGreaterThan(2);
    expect(boxes, letters[n]).not.toContain(sizeOf(look));
  }
}

describe('with the fonts that are shipped', () => {
  test('what no font has is a box, as wide for any', async () => {
    const looks = await paint(['\u0378', '\u0380', '漢', NOWHERE, '\u{10fffe}', '😀']);
    const [first, second] = [...new Set(looks.map(sizeOf))];
    expect(looks.map(sizeOf)).toEqual([first, first, first, second, second, second]);
    for (const { ink } of looks) expect(ink).toBeGreaterThan(200);
  });

  test.each(Object.entries(SCRIPTS))('%s has letters, and no boxes', async (_script, texts) => {
    await expectLetters(texts, fonts);
  });

  test('letters of other scripts come from their fonts, whatever the family', async () => {
    const [plain, named, other] = await paint([
      'שלום',
      { text: 'שלום', family: 'Noto Sans Hebrew' },
      { text: 'שלום', family: 'Noto Sans Thai' },
    ]);
    expect([named?.hash, other?.hash]).toEqual([plain?.hash, plain?.hash]);
  });

  test('joined letters are not the letters one by one', async () => {
    const [joined, apart] = await paint(['سلام', 'س ل ا م']);
    expect(joined?.width).toBeLessThan((apart?.width ?? 0) * 0.75);
  });

  test('each weight has more ink than the one before', async () => {
    const weights = [100, 200, 300, 400, 500, 600, 700, 800, 900];
    for (const text of ['Hello', 'שלום', 'مرحبا', 'สวัสดี', 'नमस्ते']) {
      const inks = (await paint(weights.map((weight) => ({ text, weight })))).map(({ ink }) => ink);
      expect(inks, text).toEqual([...inks].sort((a, b) => a - b));
      expect(new Set(inks).size, `${text}: ${inks}`).toBe(weights.length);
    }
  });

  test('italics are their own letters, and slanted where there are none', async () => {
    for (const text of ['Hello', 'ש', 'ก']) {
      const [upright, italic] = await paint([{ text }, { text, isItalic: true }]);
      expect(italic?.hash, text).not.toBe(upright?.hash);
      expect(Math.abs((italic?.ink ?? 0) / (upright?.ink ?? 1) - 1), text).toBeLessThan(0.15);
    }
  });
});

describe('equal text has equal bytes', () => {
  const TEXTS = [
    'Hello',
    { text: 'Grüße, שלום, مرحبا, สวัสดี, नमस्ते', size: 47 },
    { text: 'Bold', weight: 700, isItalic: true, size: 90 },
    { text: `sans ${NOWHERE} 漢字 😀`, family: 'sans-serif' },
  ];

  test('whatever else is installed, and wherever ours lie', async () => {
    // A system whose fonts have the names of ours, but other letters.
    const home = join(folder, 'home');
    const installed = join(home, '.fonts');
    await mkdir(installed, { recursive: true });
    const regular = await shippedFont('NotoSans', '400Regular');
    await writeFile(join(installed, 'NotoSans.ttf'), resized(regular, 500));
    await writeFile(join(installed, 'Sans.ttf'), renamed(regular, 'Noto Sans', 'sans-seri'));
    const system = join(folder, 'system.conf');
    await writeFile(system, `<fontconfig><dir>${installed}</dir><cachedir>${home}/cache</cachedir></fontconfig>`);
    const moved = await openFonts({
      links: join(folder, 'elsewhere & <there>'),
      own: join(folder, 'none'),
      system: [],
    });

    const hashes = async (environment: Record<string, string>) =>
      (await paintIn(environment, TEXTS)).map(({ hash }) => hash);
    const bare = await hashes({ FONTCONFIG_FILE: fonts.configFile });
    const full = {
      HOME: home,
      XDG_DATA_HOME: home,
      FONTCONFIG_PATH: folder,
      LANG: 'ja_JP.UTF-8',
      LC_ALL: 'zh_CN.UTF-8',
    };
    expect(await hashes({ ...full, FONTCONFIG_FILE: moved.configFile })).toEqual(bare);
    expect(moved.fingerprint).toBe(fonts.fingerprint);
    // Result of the test if the other fonts were read.
    expect((await hashes({ ...full, FONTCONFIG_FILE: system }))[0]).not.toBe(bare[0]);
  });

  test('in the first process that reads the fonts and in later ones', async () => {
    const fresh = await openFonts({ links: join(folder, 'fresh'), own: join(folder, 'none'), system: [] });
    const first = await paint(TEXTS, fresh);
    expect(await paint(TEXTS, fresh)).toEqual(first);
    expect(await paint(TEXTS)).toEqual(first);
  });
});

describe('a font of the operator', () => {
  test('is used by its name, and as a fallback', async () => {
    const own = join(folder, 'own');
    await mkdir(own);
    await writeFile(
      join(own, 'nato.ttf'),
      renamed(await shippedFont('NotoSans', '900Black'), 'Noto Sans', 'Nato Sans'),
    );
    const more = await openFonts({ links: join(folder, 'links'), own, system: [] });
    expect(more.families).toContain('Nato Sans');
    expect(more.fingerprint).not.toBe(fonts.fingerprint);
    const [named, black, plain] = await paint(
      [{ text: 'Hello', family: 'Nato Sans' }, { text: 'Hello', weight: 900 }, 'Hello'],
      more,
    );
    expect(named?.hash).toBe(black?.hash);
    expect(plain?.hash).not.toBe(black?.hash);
  });

  test('goes before a shipped one of the same name', async () => {
    const own = join(folder, 'small');
    await mkdir(own);
    await writeFile(join(own, 'zz.ttf'), resized(await shippedFont('NotoSans', '400Regular'), 2000));
    const small = await openFonts({ links: join(folder, 'links'), own, system: [] });
    const [[ours], [theirs]] = [
      await paint([{ text: 'Hello', size: 100 }]),
      await paint([{ text: 'Hello', size: 100 }], small),
    ];
    expect(Math.abs((theirs?.width ?? 0) - (ours?.width ?? 0) / 2)).toBeLessThanOrEqual(2);
  });

  test('that no decoder can read costs its own letters alone', async () => {
    const own = join(folder, 'broken');
    await mkdir(own);
    const font = renamed(await shippedFont('NotoSans', '400Regular'), 'Noto Sans', 'Nato Sans');
    await writeFile(
      join(own, 'broken.ttf'),
      Buffer.concat([font.subarray(0, 20_000), Buffer.alloc(font.length - 20_000, 0x5a)]),
    );
    const broken = await openFonts({ links: join(folder, 'links'), own, system: [] });
    const [plain] = await paint(['Hello'], broken);
    expect(plain?.hash).toBe((await paint(['Hello']))[0]?.hash);
  });
});

await describeWithDebianFonts("with Debian's fonts", () => {
  let debian: Fonts;
  beforeAll(async () => {
    debian = await openFonts({ links: join(folder, 'links'), own: join(folder, 'none') });
  });

  test('Chinese, Japanese and Korean have letters, and families of their own', async () => {
    await expectLetters(['你好', '漢字', 'かなカナ', '안녕하세요'], debian);
    expect(debian.families).toEqual(
      expect.arrayContaining(['Noto Sans CJK JP', 'Noto Sans CJK SC', 'Noto Color Emoji']),
    );
    const [japanese, chinese] = await paint(
      [
        { text: '直骨', family: 'Noto Sans CJK JP' },
        { text: '直骨', family: 'Noto Sans CJK SC' },
      ],
      debian,
    );
    expect(japanese?.hash).not.toBe(chinese?.hash);
  });

  test('emoji have colours and the size of letters', async () => {
    for (const size of [16, 32, 64, 200]) {
      const [emoji] = await paint([{ text: '😀', size }], debian);
      expect(emoji?.colours).toBeGreaterThan(size * size * 0.4);
      expect(Math.abs((emoji?.width ?? 0) / size - 1.25)).toBeLessThan(0.15);
    }
  });

  test('flags and families are one picture each', async () => {
    const [one, flag, family, flags] = await paint(['😀', '🇨🇭', '👩‍👩‍👧', '🇨🇭🇫🇷'], debian);
    expect([flag?.width, family?.width]).toEqual([one?.width, one?.width]);
    expect(Math.abs((flags?.width ?? 0) / (one?.width ?? 1) - 2)).toBeLessThan(0.2);
    expect(new Set([one, flag, family].map((look) => look?.hash)).size).toBe(3);
  });

  test('a text of all scripts has the letters of each', async () => {
    const [mixed] = await paint([{ text: 'Hello 你好 שלום\nمرحبا 😀🇨🇭 สวัสดี नमस्ते', wrapWidth: 200 }], debian);
    expect(mixed?.width).toBeLessThanOrEqual(200);
    expect(mixed?.colours).toBeGreaterThan(500);
  });

  test('letters that ours have look the same with them', async () => {
    const texts = Object.values(SCRIPTS).flat();
    expect(await paint(texts, debian)).toEqual(await paint(texts));
  });
});
