import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { readAccountSearch } from './account/address.ts';
import { accessQuery, couldRead } from './api/access.ts';
import { sessionQuery, wasSignedIn } from './api/account.ts';
import { dashboardPath } from './api/base.ts';
import { queryClient } from './api/query-client.ts';
import { readAuditSearch } from './audit/address.ts';
import { Button, ButtonLink } from './components/button.tsx';
import { lazyRouteComponent } from './components/lazy-component.tsx';
import { Empty, ErrorNotice } from './components/states.tsx';
import { useTitle } from './components/use-title.ts';
import { readDuplicatesSearch } from './duplicates/address.ts';
import { prefetchFolder, readFilesSearch } from './files/address.ts';
import { FilesPage } from './files/files-page.tsx';
import { messages } from './messages/en.ts';
import { readPlaygroundSearch } from './playground/address.ts';
import { readRedirectsSearch } from './redirects/address.ts';
import { Shell } from './shell/shell.tsx';
import { readUsageSearch } from './usage/address.ts';

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <main>
      <NoSuchPage />
    </main>
  ),
  beforeLoad: ({ matches }) => {
    // On a first visit the request would fail without a session, and it is refused to people of spaces.
    if (!wasSignedIn() || !couldRead()) return;
    for (const { fullPath, params, search } of matches)
      if (fullPath === '/files/$') prefetchFolder(String(params._splat ?? ''), search);
  },
});

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  component: lazyRouteComponent(() => import('./sign-in/login-page.tsx'), 'LoginPage'),
  // Only paths of the dashboard: no open redirect after sign-in. Browsers drop tabs and line breaks, which would turn
  // such a path into an external URL. Undefined removes the value.
  validateSearch: ({
    to,
    error,
  }: Record<string, unknown>): { to?: string | undefined; error?: string | undefined } => ({
    to: typeof to === 'string' && /^\/(?![/\\])\P{Cc}*$/u.test(to) ? to : undefined,
    error: typeof error === 'string' ? error : undefined,
  }),
});
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./sign-in/invitation/invitation-page.tsx'), 'InvitationPage'),
});
const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  component: lazyRouteComponent(() => import('./sign-in/setup-page.tsx'), 'SetupPage'),
});

/** Pages that need a session. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const session = queryClient.fetchQuery(sessionQuery);
    const toLogin = { to: '/login', search: location.href === '/' ? {} : { to: location.href } } as const;
    const isSignedOut = async () => {
      if (await session) return false;
      // The state may change before the next navigation.
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      return true;
    };
    // A previous session is usually still valid: render meanwhile, requests fail otherwise.
    if (wasSignedIn())
      void isSignedOut().then(
        (leave) => {
          if (leave) void router.navigate(toLogin);
        },
        () => undefined,
      );
    else if (await isSignedOut()) throw redirect(toLogin);
    // The pages hide what the role does not allow. A failure is shown by the shell.
    await queryClient.ensureQueryData(accessQuery).catch(() => undefined);
  },
});

const indexRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/files/$', params: { _splat: '' }, replace: true });
  },
});
const filesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/files/$',
  validateSearch: readFilesSearch,
  // The most visited page: a chunk of its own would load later.
  component: FilesPage,
});
const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  validateSearch: readAccountSearch,
  component: lazyRouteComponent(() => import('./account/account-page.tsx'), 'AccountPage'),
});
const peopleRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/people',
  component: lazyRouteComponent(() => import('./people/people-page.tsx'), 'PeoplePage'),
});
const usageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/usage',
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'UsagePage'),
});
const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
});
const trashRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/trash',
  component: lazyRouteComponent(() => import('./trash/trash-page.tsx'), 'TrashPage'),
});
const tagsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tags',
  component: lazyRouteComponent(() => import('./tags/tags-page.tsx'), 'TagsPage'),
});
const duplicatesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/duplicates',
  validateSearch: readDuplicatesSearch,
  component: lazyRouteComponent(() => import('./duplicates/duplicates-page.tsx'), 'DuplicatesPage'),
});
const redirectsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/redirects',
  validateSearch: readRedirectsSearch,
  component: lazyRouteComponent(() => import('./redirects/redirects-page.tsx'), 'RedirectsPage'),
});
const keysRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
});
const spacesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/spaces',
  component: lazyRouteComponent(() => import('./spaces/spaces-page.tsx'), 'SpacesPage'),
});
const spaceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/spaces/$spaceId',
  component: lazyRouteComponent(() => import('./spaces/settings/space-settings.tsx'), 'SpacePage'),
});
const ownSpaceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/space',
  component: lazyRouteComponent(() => import('./spaces/settings/space-settings.tsx'), 'OwnSpacePage'),
});
const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const jobsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/jobs',
  component: lazyRouteComponent(() => import('./jobs/jobs-page.tsx'), 'JobsPage'),
});
const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
});
const playgroundRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/playground/$',
  validateSearch: readPlaygroundSearch,
  component: lazyRouteComponent(() => import('./playground/playground-page.tsx'), 'PlaygroundPage'),
});
const startRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/start',
  component: lazyRouteComponent(() => import('./files/start/start-page.tsx'), 'StartPage'),
});
const statusRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/status',
  component: lazyRouteComponent(() => import('./status/status-page.tsx'), 'StatusPage'),
});

function PageFailed({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Empty
      icon="alert"
      title={messages.states.failed}
      isPage
      action={<Button onPress={() => location.reload()}>{messages.states.reload}</Button>}
    >
      <ErrorNotice error={error} onRetry={reset} />
    </Empty>
  );
}

/** Within the layout of the pages, or in a main region of its own. */
function NoSuchPage() {
  useTitle(messages.notFound.title);
  return (
    <Empty
      icon="search"
      title={messages.notFound.title}
      isPage
      action={<ButtonLink href={`${dashboardPath}/`}>{messages.notFound.action}</ButtonLink>}
    >
      {messages.notFound.text}
    </Empty>
  );
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    loginRoute,
    setupRoute,
    invitationRoute,
    shellRoute.addChildren([
      indexRoute,
      filesRoute,
      playgroundRoute,
      jobsRoute,
      keysRoute,
      webhooksRoute,
      spacesRoute,
      spaceRoute,
      ownSpaceRoute,
      tagsRoute,
      duplicatesRoute,
      redirectsRoute,
      trashRoute,
      startRoute,
      statusRoute,
      peopleRoute,
      usageRoute,
      auditRoute,
      accountRoute,
      settingsRoute,
    ]),
  ]),
  basepath: dashboardPath,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: NoSuchPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
