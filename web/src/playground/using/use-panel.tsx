import { serviceUrl } from '../../api/base.ts';
import type { Asset } from '../../api/types.ts';
import { messages } from '../../messages/en.ts';
import { Choices } from '../choices.tsx';
import { expandPreset, type Listing, stillOf, valueIn } from '../segment.ts';
import { usePlaygroundSearch } from '../use-played.ts';
import { originalOf } from './bounds.ts';
import { Code } from './code.tsx';
import { SignedUrl } from './signed-url.tsx';
import { FACTS_SNIPPETS, IMAGE_SNIPPETS, type Use, VIDEO_SNIPPETS } from './snippets.ts';

/** Snippets with several widths. */
const RESPONSIVE = ['srcset', 'picture'];

const HTML = ['srcset', 'picture', 'video'];

/** Name of copied code: its language, or that it is code of a library. */
const whatOf = (name: string) =>
  HTML.includes(name) ? messages.copies.html : name === 'url' ? messages.copies.url : messages.copies.code;

interface UsePanelProps {
  source: Asset;
  segment: string;
  listing: Listing;
  isTranscode: boolean;
  /** True if the transformation is refused. */
  isBroken: boolean;
  size: Use['size'];
  accept: string;
}

/** Code that embeds the result. */
export function UsePanel({ source, segment, listing, isTranscode, isBroken, size, accept }: UsePanelProps) {
  const { path, alt } = source;
  const [{ as = 'url' }, change] = usePlaygroundSearch();
  const plain = expandPreset(segment, listing.presets);
  const isFacts = valueIn(plain, 'f', listing.image) === 'json';
  const isStill = isTranscode && stillOf(plain, listing) !== undefined;
  const snippets: Record<string, (use: Use) => string> =
    isFacts || isStill ? FACTS_SNIPPETS : isTranscode ? VIDEO_SNIPPETS : IMAGE_SNIPPETS;
  const { preset, ...others } = snippets;
  const names = [...Object.keys(others), 'signed', 'preset'];
  const chosen = names.includes(as) ? as : 'url';
  const options = names.map(
    (name) => [name, messages.playground.names[name as keyof typeof messages.playground.names]] as const,
  );
  const use = { base: serviceUrl, path, segment, listing, size, original: originalOf(source), alt: alt ?? '', accept };
  return (
    <section className="card" aria-labelledby="use-title">
      <div className="card-head">
        <h2 id="use-title">{messages.playground.use}</h2>
      </div>
      <div className="use">
        <Choices
          label={messages.playground.as}
          value={chosen}
          options={options}
          onChange={(next) => change({ as: next === 'url' ? undefined : next })}
        />
        {chosen === 'signed' ? (
          <SignedUrl key={`${path} ${segment}`} path={path} segment={segment} isBroken={isBroken} />
        ) : (
          <Code text={snippets[chosen]?.(use) ?? ''} what={whatOf(chosen)} isBroken={isBroken} />
        )}
        {RESPONSIVE.includes(chosen) && use.original === undefined && !source.described && (
          <p className="quiet" role="status">
            {messages.readingSize}
          </p>
        )}
      </div>
    </section>
  );
}
