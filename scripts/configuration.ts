import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SECTIONS, type Section } from '../src/config/setting.ts';
import { settings } from '../src/config/tree.ts';

// Writes docs/configuration.md from the declarations of the settings and the text of this file.

const PAGE = join(import.meta.dirname, '..', 'docs', 'configuration.md');

const INTRODUCTION = `# Configuration

<!-- Written by \`npm run docs\` from scripts/configuration.ts and the declarations in src/config/. -->

The environment is the only configuration. No variable has to be set. All variables are checked at the start; if any are wrong, the service does not start and prints one line for each.

\`npm start -- --check-config\` checks the variables and exits. \`npm start -- --check-config=deep\` also tries what they name: that the folder can be written, the database opens (on PostgreSQL also that its tables are up to date and nodes receive each other's notifications through it), the bucket responds, the fonts can be read, ffmpeg is installed and the port is free. It changes nothing, except that it writes the small object in the bucket that every start writes. A variable whose name is similar to that of a setting is reported, here and in the log of a start.

MB is 1024 x 1024 bytes. Times in names that end in \`_MS\` are milliseconds.
`;

/** Text before the table of a section. */
const BEFORE: Partial<Record<Section, string>> = {
  Bucket:
    'Without these settings, files are stored in `DATA_DIR`. `STORAGE_BUCKET_NAME`, `STORAGE_ACCESS_KEY_ID` and `STORAGE_SECRET_ACCESS_KEY` are set together. [Storage in a bucket](storage.md) has the settings for each provider.',
};

/** Text after the table of a section. */
const AFTER: Partial<Record<Section, string>> = {
  Limits:
    '`GET /limits` shows the limits of a running service, and `GET /settings` (`admin`) every variable with its value, its default, its meaning and whether it is set. Secrets are never shown, nor are passwords in URLs.',
};

/** Returns the whole page. */
export function configurationPage(): string {
  const sections = SECTIONS.map((section) => {
    const parts = [`## ${section}`, BEFORE[section], tableOf(section), AFTER[section]];
    return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
  });
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

function tableOf(section: Section): string {
  const rows = settings
    .filter((setting) => setting.section === section)
    .map(({ name, default: text, about }) => `| \`${name}\` | ${text ? `\`${text}\`` : ''} | ${about} |`);
  return `| variable | default | meaning |\n|---|---|---|\n${rows.join('\n')}`;
}

if (import.meta.main) await writeFile(PAGE, configurationPage());
