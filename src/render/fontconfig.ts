/** First fallback for letters that no named family has. */
const DEFAULT_FAMILY = 'Noto Sans';
const EMOJI_FAMILY = 'Noto Color Emoji';

/**
 * The configuration of Fontconfig for some folders and no others. Letters are painted as they are drawn, the same on
 * every host: not fitted to pixels, nor to the parts of a pixel of some screen. Source: Fontconfig's reference,
 * "Configuration File Format".
 */
export function configurationOf(folders: readonly string[], cache: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
${folders.map((folder) => `  <dir>${escaped(folder)}</dir>`).join('\n')}
  <cachedir>${escaped(cache)}</cachedir>
${LIGHT_WEIGHTS}${FALLBACKS}${PLAIN_LETTERS}${SCALED_BITMAPS}${SLANTED}${EMBOLDENED}</fontconfig>
`;
}

/**
 * Old programs made letters bold whose weight was below 250. Many fonts therefore state 250, and their weight only in
 * the style name.
 */
const LIGHT_WEIGHTS = ['Thin', 'ExtraLight']
  .flatMap((weight) => [weight, `${weight} Italic`].map((style) => ({ weight, style })))
  .map(
    ({ weight, style }) => `  <match target="scan">
    <test name="style"><string>${style}</string></test>
    <edit name="weight" mode="assign"><const>${weight.toLowerCase()}</const></edit>
  </match>
`,
  )
  .join('');

const FALLBACKS = `  <match target="pattern">
    <edit name="family" mode="append" binding="weak"><string>${DEFAULT_FAMILY}</string></edit>
  </match>
  <alias binding="same">
    <family>emoji</family>
    <prefer><family>${EMOJI_FAMILY}</family></prefer>
  </alias>
`;

const PLAIN_LETTERS = `  <match target="font">
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="hinting" mode="assign"><bool>false</bool></edit>
    <edit name="autohint" mode="assign"><bool>false</bool></edit>
    <edit name="hintstyle" mode="assign"><const>hintnone</const></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
    <edit name="lcdfilter" mode="assign"><const>lcdnone</const></edit>
  </match>
`;

/** Emoji are images of one size. Without this they would keep it next to letters of any size. */
const SCALED_BITMAPS = `  <match target="font">
    <test name="outline" compare="eq"><bool>false</bool></test>
    <edit name="matrix" mode="assign">
      <times>
        <name>matrix</name>
        <matrix>
          <divide><name target="pattern">pixelsize</name><name target="font">pixelsize</name></divide>
          <double>0</double>
          <double>0</double>
          <divide><name target="pattern">pixelsize</name><name target="font">pixelsize</name></divide>
        </matrix>
      </times>
    </edit>
    <edit name="size" mode="assign">
      <divide>
        <name target="pattern">size</name>
        <divide><name target="pattern">pixelsize</name><name target="font">pixelsize</name></divide>
      </divide>
    </edit>
  </match>
`;

/** Italics of a family that has none. */
const SLANTED = `  <match target="font">
    <test name="outline"><bool>true</bool></test>
    <test name="slant"><const>roman</const></test>
    <test target="pattern" name="slant" compare="not_eq"><const>roman</const></test>
    <edit name="matrix" mode="assign">
      <times>
        <name>matrix</name>
        <matrix><double>1</double><double>0.2</double><double>0</double><double>1</double></matrix>
      </times>
    </edit>
    <edit name="slant" mode="assign"><const>oblique</const></edit>
  </match>
`;

/** Bold letters of a family that has none. */
const EMBOLDENED = `  <match target="font">
    <test name="outline"><bool>true</bool></test>
    <test name="weight" compare="less_eq"><const>medium</const></test>
    <test target="pattern" name="weight" compare="more_eq"><const>bold</const></test>
    <edit name="embolden" mode="assign"><bool>true</bool></edit>
    <edit name="weight" mode="assign"><const>bold</const></edit>
  </match>
`;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
