import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFonts } from '../../src/render/fonts.ts';

/**
 * Renders the texts of this process with the shipped fonts, regardless of the host. Takes effect before the first text.
 */
export async function setShippedFonts(): Promise<void> {
  const links = join(tmpdir(), 'darkroom-shipped-fonts');
  const { configFile } = await openFonts({ links, own: join(links, 'none'), system: [] });
  process.env.FONTCONFIG_FILE = configFile;
}
