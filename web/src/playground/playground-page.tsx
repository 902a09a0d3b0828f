import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { nameOf } from '../api/paths.ts';
import { sourceQuery, transformationsQuery } from '../api/playground.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
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
  const { title, lead, choose } = messages.playground;
  return (
    <div className="page play">
      <PageHeader
        title={title}
        tab={path === '' ? title : `${nameOf(path)} · ${title}`}
        lead={<span className="play-path">{path === '' ? lead : path}</span>}
        documentation="playground"
      >
        {path !== '' && (
          <Link className="button" to="/playground/$" params={{ _splat: '' }}>
            {choose}
          </Link>
        )}
      </PageHeader>
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
