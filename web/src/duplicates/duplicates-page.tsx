import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useCan } from '../api/access.ts';
import { type DuplicateGroup, type DuplicateKind, duplicatesQuery } from '../api/duplicates.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { duplicatesMessages } from '../messages/duplicates.ts';
import { GroupCard } from './group-card.tsx';
import { removedPaths, type Selection } from './selection.ts';
import { tidy } from './tidy.ts';
import './duplicates.css';

const KINDS: readonly DuplicateKind[] = ['exact', 'similar'];

/** `/duplicates`: identical files and similar images. */
export function DuplicatesPage() {
  const { by } = useSearch({ from: '/shell/duplicates' });
  const kind = by === 'look' ? 'similar' : 'exact';
  const [selection, setSelection] = useState<Selection>(new Map());
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    duplicatesQuery(kind),
  );
  const canManage = useCan('manage');
  const groups = data?.pages.flatMap((page) => page.groups);
  const keep = (path: string, isSelected: boolean) => setSelection((old) => new Map(old).set(path, isSelected));
  return (
    <div className="page">
      <PageHeader title={duplicatesMessages.title} lead={duplicatesMessages.lead} documentation="duplicates">
        {canManage && groups !== undefined && groups.length > 1 && <TidyAll groups={groups} selection={selection} />}
      </PageHeader>
      <KindTabs kind={kind} />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {groups === undefined && !error && <Skeleton height={320} />}
      {groups?.length === 0 && (
        <Empty icon="duplicate" title={duplicatesMessages.none[kind]}>
          {duplicatesMessages.noneText}
        </Empty>
      )}
      {groups?.map((group) => (
        <GroupCard
          key={group.assets[0]?.path}
          group={group}
          selection={selection}
          onKeep={canManage ? keep : undefined}
        />
      ))}
      {hasNextPage && (
        <Button isPending={isFetchingNextPage} onPress={() => fetchNextPage()}>
          {duplicatesMessages.more}
        </Button>
      )}
    </div>
  );
}

function KindTabs({ kind }: { kind: DuplicateKind }) {
  const navigate = useNavigate();
  const show = (one: DuplicateKind) =>
    navigate({ to: '/duplicates', search: { by: one === 'similar' ? 'look' : undefined } });
  return (
    <fieldset className="tabs">
      <legend className="unseen">{duplicatesMessages.kinds}</legend>
      {KINDS.map((one) => (
        <button key={one} type="button" className="tab" aria-pressed={one === kind} onClick={() => show(one)}>
          {duplicatesMessages.kind[one]}
        </button>
      ))}
    </fieldset>
  );
}

/** Moves the duplicates of all shown groups to the trash. */
function TidyAll({ groups, selection }: { groups: readonly DuplicateGroup[]; selection: Selection }) {
  const [isConfirming, setConfirming] = useState(false);
  const rests = groups.map((group) => removedPaths(group, selection)).filter((rest) => rest.length > 0);
  const paths = [...new Set(rests.flat())];
  if (paths.length === 0) return null;
  return (
    <>
      <Button icon="trash" onPress={() => setConfirming(true)}>
        {duplicatesMessages.removeAll}
      </Button>
      {isConfirming && (
        <Confirm
          title={duplicatesMessages.removeAllTitle(paths.length)}
          text={duplicatesMessages.removeAllText(rests.length)}
          action={duplicatesMessages.removeAllAction}
          onConfirm={() => tidy(paths)}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
}
