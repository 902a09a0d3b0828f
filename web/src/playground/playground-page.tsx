import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sourceQuery, transformationsQuery } from '../api/playground.ts';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { useTitle } from '../components/use-title.ts';
import { messages } from '../messages/en.ts';
import { SourceChooser } from './source-chooser.tsx';
import { usePath } from './use-played.ts';
import { Workbench } from './workbench.tsx';
import './playground.css';
import './controls/controls.css';
import './preview/preview.css';
import './preview/editor.css';
import './layers/layers.css';
import './using/using.css';

/** `/playground`: transformations of a file, or the choice of one. */
export function PlaygroundPage() {
  const path = usePath();
  useTitle(
    path === '' ? messages.playground.title : `${path.slice(path.lastIndexOf('/') + 1)} · ${messages.playground.title}`,
  );
  return (
    <div className="page play">
      <header className="page-head">
        <div>
          <h1>{messages.playground.title}</h1>
          <p className="play-path">{path === '' ? messages.playground.lead : path}</p>
        </div>
        {path !== '' && (
          <Link className="button" to="/playground/$" params={{ _splat: '' }}>
            {messages.playground.choose}
          </Link>
        )}
      </header>
      {path === '' ? <SourceChooser /> : <Source key={path} path={path} />}
    </div>
  );
}

function Source({ path }: { path: string }) {
  const listing = useQuery(transformationsQuery);
  const source = useQuery(sourceQuery(path));
  const error = source.error ?? listing.error;
  if (error) return <ErrorNotice error={error} onRetry={() => Promise.all([source.refetch(), listing.refetch()])} />;
  if (!source.data || !listing.data) return <Skeleton height={520} />;
  const { kind } = source.data;
  if (kind !== 'image' && kind !== 'video') {
    const { impossible, impossibleText, audioOnly, audioText } = messages.playground;
    const isAudio = kind === 'audio';
    return (
      <Empty icon="document" title={isAudio ? audioOnly : impossible}>
        {isAudio ? audioText : impossibleText}
      </Empty>
    );
  }
  return <Workbench source={source.data} kind={kind} listing={listing.data} />;
}
