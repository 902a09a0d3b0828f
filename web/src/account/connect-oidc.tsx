import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { beginOidcConnection, oidcConnectionQuery } from '../api/sign-in-methods.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { useAction } from '../components/use-action.ts';
import { oidcFailure } from '../messages/oidc-failure.ts';
import { signInMessages } from '../messages/sign-in.ts';

/** State of the connection, and a button that leads to the identity provider, which sends the browser back here. */
export function ConnectOidc({ provider }: { provider: string }) {
  const { error: reason } = useSearch({ from: '/shell/account' });
  const { data: isConnected } = useQuery(oidcConnectionQuery);
  const { error, isBusy, run } = useAction();
  const connect = async () => location.assign(await beginOidcConnection('/account'));
  const failure = error ?? (reason === undefined ? undefined : new Error(oidcFailure(reason, provider)));
  const { connected, notConnected, connect: action, connectOther } = signInMessages;
  return (
    <div className="form">
      {failure !== undefined && <ErrorNotice error={failure} />}
      {isConnected !== undefined && (
        <p className="notice" role="status">
          <Icon name={isConnected ? 'check' : 'info'} />
          {(isConnected ? connected : notConnected)(provider)}
        </p>
      )}
      <Button isPending={isBusy} onPress={() => run(connect)}>
        {(isConnected ? connectOther : action)(provider)}
      </Button>
    </div>
  );
}
