import { actionsMessages } from '../../messages/actions.ts';
import { oldUrls } from './old-urls.ts';

/** Choice to redirect the previous URLs of what is renamed or moved. @param isMany true for a folder or several files */
export function KeepUrls({ isMany }: { isMany: boolean }) {
  const { keepUrl, keepUrls, keepHint, keepHintOfMany } = actionsMessages.rename;
  const isKept = oldUrls.use() === 'kept';
  return (
    <label className="option">
      <input
        type="checkbox"
        checked={isKept}
        onChange={({ target }) => oldUrls.set(target.checked ? 'kept' : 'ended')}
      />
      <span>
        {isMany ? keepUrls : keepUrl}
        <small>{isMany ? keepHintOfMany : keepHint}</small>
      </span>
    </label>
  );
}
