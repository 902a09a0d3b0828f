import { serviceUrl } from '../../api/base.ts';
import { variantPath } from '../../api/paths.ts';
import { copyText } from '../../components/copy.ts';
import { messages } from '../../messages/en.ts';

/** URLs of originals, one per line. */
export const urlsOf = (paths: readonly string[]): string =>
  paths.map((path) => serviceUrl + variantPath(path, '')).join('\n');

export const copyUrls = (paths: readonly string[]): void =>
  void copyText(urlsOf(paths), messages.files.urls(paths.length));
