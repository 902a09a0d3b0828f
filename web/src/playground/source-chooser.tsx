import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { deliveryUrl } from '../api/files.ts';
import { sourcesQuery } from '../api/playground.ts';
import type { StoredFile } from '../api/types.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { imageClassOf, TILE_PIXELS, thumbnailOf } from '../components/thumbnails.ts';
import { messages } from '../messages/en.ts';
import { Choices } from './choices.tsx';
import './choosing.css';

type Kind = 'image' | 'video';

const KINDS = [
  ['image', messages.playground.images],
  ['video', messages.playground.videos],
] as const;

/** Newest images and videos to start with. */
export function SourceChooser() {
  return <Sources kinds={KINDS.map(([kind]) => kind)} />;
}

interface SourcesProps {
  kinds: readonly Kind[];
  /** Called with the selected file; without it files link to their playground. */
  onChoose?: (path: string) => void;
}

/** Newest files of some kinds. */
export function Sources({ kinds, onChoose }: SourcesProps) {
  const [kind, setKind] = useState<Kind>('image');
  const [search, setSearch] = useState('');
  const { data, error, refetch } = useQuery({ ...sourcesQuery(kind, search), placeholderData: keepPreviousData });
  return (
    <>
      <div className="play-choosing">
        <div className="play-search">
          <Icon name="search" />
          <input
            className="input"
            type="search"
            aria-label={messages.playground.search}
            placeholder={messages.playground.search}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </div>
        {kinds.length > 1 && (
          <Choices<Kind> label={messages.playground.kinds} value={kind} options={KINDS} onChange={setKind} />
        )}
      </div>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton height={220} />}
      {data?.files.length === 0 && <NoSources search={search} onClear={() => setSearch('')} />}
      <ul className="play-sources">
        {data?.files.map((file) => (
          <li key={file.path}>
            <Source file={file} onChoose={onChoose} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Source({ file, onChoose }: { file: StoredFile } & Pick<SourcesProps, 'onChoose'>) {
  if (!onChoose)
    return (
      <Link className="play-source" to="/playground/$" params={{ _splat: file.path }}>
        <Thumbnail file={file} />
      </Link>
    );
  return (
    <button type="button" className="play-source" onClick={() => onChoose(file.path)}>
      <Thumbnail file={file} />
    </button>
  );
}

function Thumbnail({ file: { name, path, mtime, type, ...rest } }: { file: StoredFile }) {
  const file = { ...rest, kind: type };
  const segment = thumbnailOf(file, TILE_PIXELS);
  return (
    <>
      {segment !== undefined && (
        <img className={imageClassOf(file)} src={deliveryUrl(path, segment, mtime)} alt="" loading="lazy" />
      )}
      {segment === undefined && (
        <span className={`play-source-sign${file.problem === null ? '' : ' is-bad'}`}>
          <Icon name={file.problem === null ? type : 'alert'} />
          {file.problem !== null && messages.files.undecodable}
        </span>
      )}
      <span>{name}</span>
    </>
  );
}

function NoSources({ search, onClear }: { search: string; onClear(): void }) {
  if (search === '')
    return (
      <Empty icon="image" title={messages.playground.none}>
        {messages.playground.noneText}
      </Empty>
    );
  return (
    <Empty
      icon="search"
      title={messages.playground.notFound(search)}
      action={<Button onPress={onClear}>{messages.playground.clear}</Button>}
    />
  );
}
