import { describe, expect, test } from 'vitest';
import { FOUND_IN_CODE } from '../../../../test/compat/cloudinary-urls.ts';
import { translate } from './translate.ts';
import { writeSegment } from './write.ts';

function become(url: string, file: string): string {
  const read = translate(url);
  if (read.kind === 'refused') return `! ${read.part}`;
  const written = writeSegment(read, { file, layers: read.layers.map(() => 'brand/logo.png') });
  if (written.kind === 'refused') return `! ${written.part}`;
  const mark = read.approximate.length > 0 ? '~' : read.ignored.length > 0 ? '-' : '=';
  return `${mark} ${written.segment}`.trimEnd();
}

describe('the URLs of Cloudinary in public code', () => {
  test.each(FOUND_IN_CODE)('$url is $becomes', ({ url, file, becomes }) => expect(become(url, file)).toBe(becomes));

  test('are the same for the most part', () => {
    const counts = Object.groupBy(FOUND_IN_CODE, ({ becomes }) => becomes.charAt(0));
    const countOf = (mark: string) => counts[mark]?.length;
    expect({ same: countOf('='), left: countOf('-'), similar: countOf('~'), refused: countOf('!') }).toEqual({
      same: 52,
      left: 20,
      similar: 28,
      refused: 14,
    });
  });
});
