import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button as AriaButton } from 'react-aria-components/Button';
import { sessionQuery, signOut } from '../api/account.ts';
import { urlOf } from '../api/base.ts';
import { Icon, Mark } from '../parts/icon.tsx';
import type { IconName } from '../parts/icons.ts';
import { Menu, MenuItem, MenuLine } from '../parts/menu.tsx';
import { adviceOn } from '../parts/states.tsx';
import { toast } from '../parts/toasts.tsx';
import { words } from '../words/en.ts';
import { setTheme, type Theme, useTheme } from './theme.ts';

/** The pages, in the order of how often they are wanted. */
const PAGES: readonly { to: string; icon: IconName; label: string; isSide?: boolean }[] = [
  { to: '/files', icon: 'image', label: words.shell.pages.files },
  { to: '/playground', icon: 'settings', label: words.shell.pages.playground },
  { to: '/jobs', icon: 'jobs', label: words.shell.pages.jobs },
  { to: '/keys', icon: 'key', label: words.shell.pages.keys },
  // A phone has no room for these at the bottom: there they are in the menu.
  { to: '/webhooks', icon: 'link', label: words.shell.pages.webhooks, isSide: true },
  { to: '/duplicates', icon: 'duplicate', label: words.shell.pages.duplicates, isSide: true },
  { to: '/trash', icon: 'trash', label: words.shell.pages.trash },
  { to: '/status', icon: 'status', label: words.shell.pages.status },
];

export function Navigation({ onPalette }: { onPalette(): void }) {
  return (
    <header className="side">
      <Link className="side-brand" to="/">
        <Mark />
        {words.name}
      </Link>
      <AriaButton className="side-find" onPress={onPalette}>
        <Icon name="search" size={16} />
        {words.shell.find}
        <kbd>Ctrl K</kbd>
      </AriaButton>
      <nav className="side-pages" aria-label={words.shell.navigation}>
        {PAGES.map(({ to, icon, label, isSide }) => (
          <Link
            key={to}
            className={`side-link${isSide ? ' is-side' : ''}`}
            to={to}
            activeProps={{ className: 'is-current' }}
          >
            <Icon name={icon} size={19} />
            <span>{label}</span>
          </Link>
        ))}
      </nav>
      <AccountMenu />
    </header>
  );
}

const THEMES: readonly { theme: Theme; icon: IconName }[] = [
  { theme: 'system', icon: 'monitor' },
  { theme: 'light', icon: 'sun' },
  { theme: 'dark', icon: 'moon' },
];

function AccountMenu() {
  const { data } = useQuery(sessionQuery);
  const navigate = useNavigate();
  const theme = useTheme();
  const leave = () =>
    signOut().then(
      () => navigate({ to: '/login' }),
      (error) => toast(adviceOn(error)),
    );
  const trigger = <AccountButton name={data?.user.name ?? ''} email={data?.user.email ?? ''} />;
  return (
    <Menu label={words.shell.account} trigger={trigger} placement="top start">
      {THEMES.map(({ theme: one, icon }) => (
        <MenuItem
          key={one}
          icon={icon}
          end={one === theme ? <Icon name="check" size={15} /> : undefined}
          onAction={() => setTheme(one)}
        >
          {`${words.shell.theme}: ${words.shell.themes[one]}`}
        </MenuItem>
      ))}
      <MenuLine />
      {matchMedia('(max-width: 759px)').matches &&
        PAGES.filter(({ isSide }) => isSide).map(({ to, icon, label }) => (
          <MenuItem key={to} icon={icon} onAction={() => navigate({ to })}>
            {label}
          </MenuItem>
        ))}
      <MenuItem icon="account" onAction={() => navigate({ to: '/account' })}>
        {words.shell.pages.account}
      </MenuItem>
      <MenuItem icon="settings" onAction={() => navigate({ to: '/settings' })}>
        {words.shell.pages.settings}
      </MenuItem>
      <MenuItem icon="book" href={urlOf('api/docs')} target="_blank">
        {words.shell.reference}
      </MenuItem>
      <MenuLine />
      <MenuItem icon="signOut" onAction={leave}>
        {words.shell.signOut}
      </MenuItem>
    </Menu>
  );
}

function AccountButton({ name, email }: { name: string; email: string }) {
  return (
    <AriaButton className="side-account">
      <span className="unseen">{words.shell.account}</span>
      <span className="side-face" aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span className="side-who">
        <span>{name}</span>
        <span className="side-mail">{email}</span>
      </span>
      <span className="side-more">
        <Icon name="chevronsUpDown" size={16} />
      </span>
    </AriaButton>
  );
}
