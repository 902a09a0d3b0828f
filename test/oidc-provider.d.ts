declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** The context of a request in Koa, as far as tests use it. */
  interface Context {
    body: unknown;
    oidc?: { route?: string };
  }

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Interaction {
    params: { client_id: string; scope: string };
    prompt: { name: string };
    session?: { accountId: string };
  }

  /** An identity provider. It has no types of its own. */
  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (owner: {
      accountId: string;
      clientId: string;
    }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
