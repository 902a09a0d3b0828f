import type { ReactNode } from 'react';
import { ApiError } from '../api/error.ts';
import { messages } from '../messages/en.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

/** Placeholder in the final size of its content. Shown after 150 ms, so that fast responses do not flash. */
export function Skeleton({ width = '100%', height = 16 }: { width?: number | string; height?: number | string }) {
  return <div className="skeleton" style={{ width, height }} aria-hidden="true" />;
}

interface EmptyProps {
  icon: IconName;
  title: string;
  /** True if nothing else is on the page. */
  isPage?: boolean;
  children?: ReactNode;
  action?: ReactNode;
}

/** Empty state with the next step. */
export function Empty(props: EmptyProps) {
  const Heading = props.isPage ? 'h1' : 'h2';
  return (
    <div className="empty">
      <div className="empty-icon">
        <Icon name={props.icon} size={24} />
      </div>
      <Heading>{props.title}</Heading>
      {props.children && <div>{props.children}</div>}
      {props.action}
    </div>
  );
}

/** Error instead of the content that failed to load. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div className="notice is-bad" role="alert">
      <Icon name="alert" />
      <div>
        {errorMessage(error)}
        {requestId && (
          <span className="notice-id">
            {messages.states.requestId} <code>{requestId}</code>
          </span>
        )}
      </div>
      {onRetry && <Button onPress={onRetry}>{messages.states.retry}</Button>}
    </div>
  );
}

/** Text for an error: the message of the service, or a help text where it has none. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.status === 0) return messages.states.unreachable;
  if (error.code === 'foreign_origin') return messages.states.foreignOrigin;
  if (error.status === 429 && error.retryAfter) return messages.states.tooMany(error.retryAfter);
  return error.message;
}
