import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

/**
 * Names a render-blocking script by its content hash, so that browsers cache it.
 * @param file next to `index.html`, which refers to it
 */
export function earlyScript(file: string): Plugin {
  return {
    name: 'early-script',
    apply: 'build',
    async buildStart() {
      this.emitFile({ type: 'asset', name: file, source: await readFile(new URL(file, import.meta.url)) });
    },
    transformIndexHtml: {
      order: 'post',
      handler(page, { bundle = {} }) {
        const built = Object.values(bundle).find((one) => one.type === 'asset' && one.names.includes(file));
        if (built === undefined) throw new Error(`The build has made nothing of ${file}.`);
        return page.replace(`"./${file}"`, `"./${built.fileName}"`);
      },
    },
  };
}
