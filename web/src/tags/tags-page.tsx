import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { SearchField } from 'react-aria-components/SearchField';
import { useCan } from '../api/access.ts';
import { type Tag, tagsQuery } from '../api/tags.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, Skeleton } from '../components/states.tsx';
import { tagsMessages } from '../messages/tags.ts';
import { type TagAction, TagDialogs } from './tag-dialogs.tsx';
import { TagRow } from './tag-row.tsx';
import './tags.css';

/** Rows that are added by one press of "Show more". */
const PAGE = 200;

/** `/tags`: all tags, to rename, merge and delete them. */
export function TagsPage() {
  const { data, error, refetch } = useQuery(tagsQuery);
  return (
    <div className="page">
      <PageHeader title={tagsMessages.title} lead={tagsMessages.lead} documentation="tags" />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {data === undefined && !error && <Skeleton height={180} />}
      {data?.length === 0 && (
        <Empty icon="tag" title={tagsMessages.nothing}>
          {tagsMessages.nothingText}
        </Empty>
      )}
      {data !== undefined && data.length > 0 && <TagList all={data} />}
    </div>
  );
}

function TagList({ all }: { all: readonly Tag[] }) {
  const canManage = useCan('manage');
  const [text, setText] = useState('');
  const [isByName, setByName] = useState(false);
  const [limit, setLimit] = useState(PAGE);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [action, setAction] = useState<TagAction>();
  const sought = useDeferredValue(text.trim().toLowerCase());
  const found = all.filter(({ tag }) => tag.toLowerCase().includes(sought));
  const sorted = isByName ? found : found.toSorted((one, other) => other.count - one.count);
  // Tags that are gone cannot be chosen.
  const picked = all.filter(({ tag }) => chosen.includes(tag));
  const toggle = (tag: string) =>
    setChosen(chosen.includes(tag) ? chosen.filter((one) => one !== tag) : [...chosen, tag]);
  return (
    <>
      <div className="tags-bar">
        <SearchField
          className="files-search"
          aria-label={tagsMessages.search}
          value={text}
          onChange={(next) => {
            setText(next);
            setLimit(PAGE);
          }}
        >
          <Icon name="search" size={16} />
          <Input className="input" placeholder={tagsMessages.search} />
        </SearchField>
        <fieldset className="tabs" aria-label={tagsMessages.sort}>
          {[false, true].map((one) => (
            <button
              key={String(one)}
              type="button"
              className="tab"
              aria-pressed={one === isByName}
              onClick={() => setByName(one)}
            >
              {one ? tagsMessages.byName : tagsMessages.byCount}
            </button>
          ))}
        </fieldset>
        <div className="tags-chosen">
          <span className="number" role="status">
            {picked.length > 0 && tagsMessages.chosen(picked.length)}
          </span>
          {picked.length > 0 && (
            <>
              <Button onPress={() => setAction({ kind: 'merge', tags: picked })}>{tagsMessages.mergeInto}</Button>
              <Button icon="trash" onPress={() => setAction({ kind: 'delete', tags: picked })}>
                {tagsMessages.delete}
              </Button>
              <Button variant="plain" icon="close" aria-label={tagsMessages.clear} onPress={() => setChosen([])} />
            </>
          )}
        </div>
      </div>
      {found.length === 0 && <p className="quiet">{tagsMessages.notFound(text)}</p>}
      {found.length > 0 && (
        <ul className="card rows">
          {sorted.slice(0, limit).map((tag) => (
            <TagRow
              key={tag.tag}
              tag={tag}
              canManage={canManage}
              isChosen={chosen.includes(tag.tag)}
              onToggle={() => toggle(tag.tag)}
              onAction={(kind) => setAction({ kind, tags: [tag] })}
            />
          ))}
        </ul>
      )}
      {found.length > limit && <Button onPress={() => setLimit(limit + PAGE)}>{tagsMessages.more}</Button>}
      {action && (
        <TagDialogs
          action={action}
          all={all}
          onClose={() => setAction(undefined)}
          onDone={() => {
            setAction(undefined);
            setChosen([]);
          }}
        />
      )}
    </>
  );
}
