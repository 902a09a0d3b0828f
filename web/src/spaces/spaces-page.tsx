import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { SearchField } from 'react-aria-components/SearchField';
import { LIBRARY, type Space, spaceLabel, spacesQuery } from '../api/spaces.ts';
import { Button } from '../components/button.tsx';
import { usePageActions } from '../components/page-actions.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { spacesMessages } from '../messages/spaces.ts';
import { NewSpaceDialog } from './new-space.tsx';
import { SpaceRow } from './space-row.tsx';
import './spaces.css';

/** Spaces shown at first: the usage of each is a request. */
const PAGE = 50;
/** Fewer need no search. */
const MANY = 8;

/** `/spaces`: the library and all spaces. */
export function SpacesPage() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(spacesQuery);
  const [isCreating, setCreating] = useState(false);
  usePageActions([{ label: spacesMessages.create, icon: 'plus', run: () => setCreating(true) }]);
  const spaces = data?.filter(({ id }) => id !== LIBRARY) ?? [];
  const create = (
    <Button variant="main" icon="plus" onPress={() => setCreating(true)}>
      {spacesMessages.create}
    </Button>
  );
  return (
    <div className="page">
      <PageHeader title={spacesMessages.title} lead={spacesMessages.lead} documentation="spaces">
        {spaces.length > 0 && create}
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {data === undefined && !error && <Skeleton height={180} />}
      {data && <Rows all={data} />}
      {data && spaces.length === 0 && (
        <Empty icon="space" title={spacesMessages.empty} action={create}>
          {spacesMessages.emptyText}
        </Empty>
      )}
      {isCreating && (
        <NewSpaceDialog
          onCreated={() => void client.invalidateQueries({ queryKey: ['spaces'] })}
          onClose={() => setCreating(false)}
        />
      )}
    </div>
  );
}

function Rows({ all }: { all: readonly Space[] }) {
  const [text, setText] = useState('');
  const [most, setMost] = useState(PAGE);
  const found = all.filter((space) => namesOf(space).includes(text.trim().toLowerCase()));
  return (
    <>
      {all.length > MANY && (
        <SearchField className="spaces-search" aria-label={spacesMessages.search} value={text} onChange={setText}>
          <Input className="input" placeholder={spacesMessages.search} />
        </SearchField>
      )}
      {found.length === 0 && <Empty icon="search" title={spacesMessages.nothing} />}
      {found.length > 0 && (
        <ul className="card rows">
          {found.slice(0, most).map((space) => (
            <SpaceRow key={space.id} space={space} />
          ))}
        </ul>
      )}
      {found.length > most && (
        <Button onPress={() => setMost(most + PAGE)}>{spacesMessages.more(found.length - most)}</Button>
      )}
    </>
  );
}

function namesOf(space: Space): string {
  const { id, folder, hosts } = space;
  return [id, spaceLabel(space), folder, ...hosts].join('\n').toLowerCase();
}
