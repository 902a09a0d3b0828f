import { useEffect, useState, useSyncExternalStore } from 'react';
import { isServiceThere, type Outage, useOutage } from '../api/availability.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { messages } from '../messages/en.ts';

/** States a lost connection of the browser, or a service that does not answer. */
export function ConnectionBanner() {
  const isOnline = useSyncExternalStore(
    (listener) => {
      addEventListener('online', listener);
      addEventListener('offline', listener);
      return () => {
        removeEventListener('online', listener);
        removeEventListener('offline', listener);
      };
    },
    () => navigator.onLine,
  );
  const outage = useOutage();
  return (
    <div role="status">
      {!isOnline && (
        <div className="notice is-warning shell-banner">
          <Icon name="offline" />
          {messages.states.offline}
        </div>
      )}
      {isOnline && outage && (
        <div className="notice is-warning shell-banner">
          <Icon name="offline" />
          <div>
            <strong>{messages.states.reconnecting}</strong> {messages.states.away}{' '}
            <NextTry key={outage.nextTryAt} {...outage} />
          </div>
          <Button onPress={() => void isServiceThere()}>{messages.states.tryNow}</Button>
        </div>
      )}
    </div>
  );
}

/** Counts down. A timer is not announced each second. */
function NextTry({ nextTryAt, isTrying }: Outage) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(1, Math.ceil((nextTryAt - now) / 1000));
  return (
    <span className="quiet number" role="timer">
      {isTrying ? messages.states.trying : messages.states.nextTry(seconds)}
    </span>
  );
}
