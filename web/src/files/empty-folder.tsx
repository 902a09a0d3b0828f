import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRootName } from '../api/access.ts';
import { nearestFolderQuery } from '../api/folders.ts';
import { nameOf } from '../api/paths.ts';
import { Empty } from '../components/states.tsx';
import { actionsMessages } from '../messages/actions.ts';
import { messages } from '../messages/en.ts';
import { searchOfFolder } from './address.ts';

/** Empty state of a folder below the root, which may be missing. @param action for an existing one */
export function EmptyFolder({ folder, action }: { folder: string; action: ReactNode }) {
  const { data: nearest, error } = useQuery(nearestFolderQuery(folder));
  const root = useRootName();
  if (nearest === undefined && !error) return null;
  if (nearest === undefined || nearest === folder)
    return <Empty icon="folder" title={messages.files.empty.folder} action={action} />;
  const { title, text, link } = actionsMessages.missingFolder;
  return (
    <Empty
      icon="search"
      title={title(nameOf(folder))}
      action={
        <Link className="button" to="/files/$" params={{ _splat: nearest }} search={searchOfFolder}>
          {link(nearest || root)}
        </Link>
      }
    >
      {text}
    </Empty>
  );
}
