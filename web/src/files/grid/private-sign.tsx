import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';

/** Lock of a private folder. */
export function PrivateSign() {
  return (
    <span className="private-sign" data-tip={messages.files.private}>
      <Icon name="lock" size={14} />
      <span className="unseen">{messages.files.private}</span>
    </span>
  );
}
