import { useSearch } from '@tanstack/react-router';
import { beginOidcConnection } from '../api/sign-in-methods.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { ErrorNotice } from '../components/states.tsx';
import { useAction } from '../components/use-action.ts';
import { oidcFailure } from '../messages/oidc-failure.ts';
import { signInMessages } from '../messages/sign-in.ts';

/** Leads to the identity provider, which sends the browser back here. */
export function ConnectOidc({ provider }: { provider: string }) {
  const { connected, error: reason } = useSearch({ from: '/shell/account' });
  const { error, isBusy, run } = useAction();
  const connect = async () => location.assign(await beginOidcConnection('/account?connected=1'));
  const failure = error ?? (reason === undefined ? undefined : new Error(oidcFailure(reason, provider)));
  return (
    <div className="form">
      {failure !== undefined && <ErrorNotice error={failure} />}
      {connected && failure === undefined && (
        <p className="notice" role="status">
          <Icon name="check" />
          {signInMessages.connected(provider)}
        </p>
      )}
      <Button isPending={isBusy} onPress={() => run(connect)}>
        {signInMessages.connect(provider)}
      </Button>
    </div>
  );
}
