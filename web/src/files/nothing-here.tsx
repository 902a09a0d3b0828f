import { Button } from '../components/button.tsx';
import { lazyComponent } from '../components/lazy-component.tsx';
import { Empty } from '../components/states.tsx';
import { messages } from '../messages/en.ts';
import type { FilesAddress } from './address.ts';
import { isFiltering, NO_FILTER } from './filters/filter.ts';

const NoResults = lazyComponent(() => import('./filters/no-results.tsx').then((none) => none.NoResults));

const EmptyFolder = lazyComponent(() => import('./empty-folder.tsx').then((state) => state.EmptyFolder));

const Welcome = lazyComponent(() => import('./start/welcome.tsx').then((start) => start.Welcome));

/** Empty state of a folder, a filter or a search. @param onUpload undefined for people who may not upload */
export function NothingHere({ address, onUpload }: { address: FilesAddress; onUpload: (() => void) | undefined }) {
  const { folder, q, order, filter, search, change } = address;
  const { empty } = messages.files;
  if (q !== '') return <NoResults address={address} />;
  if (search !== undefined)
    return (
      <Empty
        icon="filter"
        title={order.kind && !isFiltering(filter) ? empty.kind(messages.files.kinds[order.kind]) : empty.filter}
        action={
          <Button onPress={() => change({ ...NO_FILTER, kind: undefined }, true)}>{messages.files.clearFilter}</Button>
        }
      />
    );
  const upload = onUpload && (
    <Button variant="main" icon="upload" onPress={onUpload}>
      {messages.uploads.files}
    </Button>
  );
  if (folder !== '') return <EmptyFolder folder={folder} action={upload} />;
  if (!onUpload) return <Empty icon="image" title={empty.folder} />;
  return <Welcome onUpload={onUpload} />;
}
