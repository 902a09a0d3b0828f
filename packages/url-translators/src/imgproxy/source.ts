import { refuse } from '../refusal.ts';
import { type Place, pathOfUrl } from './places.ts';

/**
 * Returns the path of a file from its source in imgproxy: `local:///a/b.jpg`, `s3://bucket/a/b.jpg` with any bucket, or
 * a URL below a place. Proxies may have merged slashes.
 * @throws Refused for other sources
 */
export function pathOfSource(source: string, places: readonly Place[]): string {
  const [, scheme = '', rest = ''] = /^(\w{1,20}):\/{1,9}(.*)$/s.exec(source) ?? [];
  if (scheme === 'local') return rest;
  const slash = rest.indexOf('/');
  if (scheme === 's3' && slash > 0) return rest.slice(slash + 1);
  if (/^https?$/i.test(scheme)) return pathOfUrl(source, places);
  return refuse(source, 'expected local:///path, s3://bucket/path or a URL below one of ORIGINS');
}
