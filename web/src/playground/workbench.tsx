import type { Asset } from '../api/answers.ts';
import { ApiError } from '../api/error.ts';
import { words } from '../words/en.ts';
import { ParameterForm } from './controls/parameter-form.tsx';
import { Stage } from './preview/stage.tsx';
import { Transcode } from './preview/transcode.tsx';
import { expandPreset, frameOf, isFrame, type Listing, losslessOf, parametersOf, problemOf } from './segment.ts';
import { SegmentBar } from './segment-bar.tsx';
import { usePlaygroundSearch, useSegment } from './use-played.ts';
import { ACCEPTS, usePreview } from './use-preview.ts';
import { UsePanel } from './using/use-panel.tsx';

interface WorkbenchProps {
  source: Asset;
  kind: 'image' | 'video';
  listing: Listing;
}

/** A file, what is made of it, and the form of what may be made. */
export function Workbench({ source, kind, listing }: WorkbenchProps) {
  const { typed, settled, setTyped } = useSegment();
  const { plain, isTranscode, accept, main, other } = usePictures(source.path, settled, { kind, listing });
  const problem = main.error instanceof ApiError && [400, 404].includes(main.error.status) ? main.error : undefined;
  const found = problem && problemOf(problem.message);
  const written = expandPreset(typed, listing.presets);
  const parameters = parametersOf(kind, written, listing);
  const isKnown = parameters.some(({ key }) => key === found?.key);
  return (
    <>
      <SegmentBar
        typed={typed}
        presets={listing.presets}
        path={source.path}
        problem={isKnown ? undefined : found?.text}
        onChange={setTyped}
      />
      <div className="play-bench">
        <div className="play-left">
          <Stage source={source} main={main} other={other} isProblemSaid={problem !== undefined} />
          {isTranscode && plain !== '' && !problem && <Transcode key={settled} source={source} segment={settled} />}
          <UsePanel
            source={source}
            segment={settled}
            listing={listing}
            isTranscode={isTranscode}
            size={main.preview?.size}
            accept={accept}
          />
        </div>
        <section className="card play-form" aria-label={words.playground.parameters}>
          <ParameterForm
            source={source}
            segment={written}
            parameters={parameters}
            problem={isKnown ? found : undefined}
            onChange={setTyped}
          />
        </section>
      </div>
    </>
  );
}

/** What is shown of a segment: the result, or a frame of what a transcode would be, and the same without loss. */
function usePictures(path: string, segment: string, { kind, listing }: Pick<WorkbenchProps, 'kind' | 'listing'>) {
  const [{ accept = 'avif', look }] = usePlaygroundSearch();
  const plain = expandPreset(segment, listing.presets);
  const isTranscode = kind === 'video' && !isFrame(plain, listing);
  const pictured = isTranscode ? frameOf(plain, listing) : segment;
  const main = usePreview(path, pictured, ACCEPTS[accept]);
  const lossless = losslessOf(isTranscode ? pictured : plain, parametersOf(kind, plain, listing));
  const other = usePreview(path, look === 'compare' ? lossless : undefined, ACCEPTS.old);
  return { plain, isTranscode, accept: ACCEPTS[accept], main, other };
}
