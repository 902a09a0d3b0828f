import { Icon } from '../components/icon.tsx';
import { messages } from '../messages/en.ts';

/** Says that the service cannot decode a file, and why. @param problem reason as the service states it */
export function Undecodable({ problem }: { problem: string }) {
  return (
    <div className="notice is-bad">
      <Icon name="alert" />
      <div>
        <strong>{messages.files.undecodable}</strong> {problem}
      </div>
    </div>
  );
}
