import { actionsMessages } from '../../messages/actions.ts';

interface KeepUrlsProps {
  /** True for a folder or several files. */
  isMany: boolean;
  isKept: boolean;
  onChange(isKept: boolean): void;
}

/** Choice to redirect the previous URLs of what is renamed or moved. */
export function KeepUrls({ isMany, isKept, onChange }: KeepUrlsProps) {
  const { keepUrl, keepUrls, keepHint, keepHintOfMany } = actionsMessages.rename;
  return (
    <label className="option">
      <input type="checkbox" checked={isKept} onChange={({ target }) => onChange(target.checked)} />
      <span>
        {isMany ? keepUrls : keepUrl}
        <small>{isMany ? keepHintOfMany : keepHint}</small>
      </span>
    </label>
  );
}
