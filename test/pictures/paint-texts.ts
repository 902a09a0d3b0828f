import { createHash } from 'node:crypto';
import { paintText } from '../../src/image/layers/paint-text.ts';
import { styleOf } from '../../src/image/layers/text-parameters.ts';
import type { TextStyle } from '../../src/image/layers/text-style.ts';

// A separate process, because Fontconfig reads its configuration once: renders the texts of its argument and prints
// their properties.
const styles: (Partial<TextStyle> & { text: string })[] = JSON.parse(process.argv[2] ?? '[]');
const looks = [];
for (const style of styles) {
  const { data, width, height } = await paintText({ ...styleOf(style.text, {}, 1000), ...style });
  let ink = 0;
  let colours = 0;
  for (let at = 0; at < data.length; at += 4) {
    ink += (data[at + 3] ?? 0) / 255;
    if (data[at + 3] === 255 && (data[at] !== data[at + 1] || data[at] !== data[at + 2])) colours++;
  }
  const hash = createHash('sha256').update(`${width}x${height}\n`).update(data).digest('hex');
  looks.push({ width, height, ink, colours, hash });
}
process.stdout.write(JSON.stringify(looks));
