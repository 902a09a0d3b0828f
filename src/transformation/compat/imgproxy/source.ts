import { refuse } from '../refusal.ts';

/**
 * The path of a file by the address that imgproxy has for it: `local:///a/b.jpg`, `s3://bucket/a/b.jpg`, whatever the bucket is called.
 * Proxies may have joined the slashes.
 * @throws Refused for addresses elsewhere
 */
export function pathOfSource(source: string): string {
  const [, scheme = '', rest = ''] = /^(\w{1,20}):\/{1,9}(.*)$/s.exec(source) ?? [];
  if (scheme === 'local') return rest;
  const slash = rest.indexOf('/');
  if (scheme === 's3' && slash > 0) return rest.slice(slash + 1);
  return refuse(source, 'expected local:///path or s3://bucket/path: files elsewhere are not fetched');
}
