import { useNavigate } from '@tanstack/react-router';
import { useCan } from '../../api/access.ts';
import { serviceUrl } from '../../api/base.ts';
import type { Target } from '../../api/targets/targets.ts';
import { copyText } from '../../components/copy.ts';
import { Item as MenuItem, Submenu } from '../../components/menu-list.tsx';
import { copyingMessages } from '../../messages/copying.ts';
import { messages } from '../../messages/en.ts';
import { type Snippet, snippetsOf } from '../details/snippets.ts';
import type { FileEntry } from '../entry.ts';
import { copyUrls } from './copy-urls.ts';
import { duplicate, filesOf } from './duplicate.ts';

/** Code that embeds a file. The URLs are in the details. */
const EMBEDDED: readonly Snippet['name'][] = ['img', 'picture', 'markdown', 'video'];

/** Menu items that copy URLs or code of files, and the files themselves. @param entry the only file */
export function CopyItems({ target, entry }: { target: Target; entry: FileEntry | undefined }) {
  const canManage = useCan('manage');
  const navigate = useNavigate();
  const files = filesOf(target);
  const paths = files.map(({ path }) => path);
  const snippets = entry ? snippetsOf(entry, serviceUrl).filter(({ name }) => EMBEDDED.includes(name)) : [];
  if (files.length === 0) return null;
  return (
    <>
      <MenuItem icon="link" onAction={() => copyUrls(paths)}>
        {messages.files.copyUrl(paths.length)}
      </MenuItem>
      {snippets.length > 0 && (
        <Submenu icon="text" label={copyingMessages.copyAs}>
          {snippets.map(({ name, text }) => (
            <MenuItem key={name} onAction={() => void copyText(text, messages.details.copies[name])}>
              {messages.details.snippet[name]}
            </MenuItem>
          ))}
        </Submenu>
      )}
      {entry && (entry.kind === 'image' || entry.kind === 'video') && (
        <MenuItem
          icon="settings"
          onAction={() => void navigate({ to: '/playground/$', params: { _splat: entry.path } })}
        >
          {messages.details.play}
        </MenuItem>
      )}
      {canManage && (
        <MenuItem icon="duplicate" onAction={() => void duplicate(files)}>
          {messages.files.action.duplicate}
        </MenuItem>
      )}
    </>
  );
}
