/**
 * Returns code that the process runs before its own: the first call of a function of `fs/promises` with a matching path
 * ends it like a power failure, before or after the call.
 */
export function killAt(call: 'link' | 'rename' | 'unlink', when: 'before' | 'after', path: RegExp): string {
  const code = `
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { ${call}: call } = fs;
    const die = () => new Promise(() => process.kill(process.pid, 'SIGKILL'));
    fs.${call} = async (path, ...rest) => {
      const isMeant = ${path}.test(path);
      if (isMeant && ${when === 'before'}) await die();
      const result = await call(path, ...rest);
      if (isMeant) await die();
      return result;
    };
    syncBuiltinESMExports();`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}
