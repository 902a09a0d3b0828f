import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { Fragment } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { sessionQuery } from '../api/account.ts';
import { urlOf } from '../api/base.ts';
import { Button } from '../components/button.tsx';
import { documentationOf } from '../components/documentation.ts';
import { useFirstSteps } from '../components/first-steps.ts';
import { Icon, Logo } from '../components/icon.tsx';
import type { IconName } from '../components/icons.ts';
import { Menu, MenuItem, MenuLine } from '../components/menu.tsx';
import { setTheme, type Theme, useTheme } from '../components/theme.ts';
import { PHONE, useMedia } from '../components/use-media.ts';
import { messages } from '../messages/en.ts';
import { type Page, usePages } from './pages.ts';
import { type Sidebar, setCollapsed } from './sidebar.ts';
import { SpaceSwitcher } from './space-switcher.tsx';
import { TreeSlot } from './tree/tree-slot.tsx';
import { useSignOut } from './use-sign-out.ts';

export function Navigation({ sidebar, onPalette }: { sidebar: Sidebar; onPalette(): void }) {
  const pages = usePages();
  const isStarting = useFirstSteps() === 'open';
  const start = pages.find(({ to }) => to === '/start');
  const ofAdmins = pages.filter(({ shownIn, needs }) => shownIn !== 'account menu' && needs === 'admin');
  return (
    <header className="side">
      <div className="side-head">
        <Link className="side-brand" to="/">
          <Logo />
          <span className="side-label">{messages.name}</span>
        </Link>
        {sidebar.canChoose && (
          <Button
            variant="plain"
            icon="sidebar"
            aria-label={sidebar.isCollapsed ? messages.shell.expand : messages.shell.collapse}
            onPress={() => setCollapsed(!sidebar.isCollapsed)}
          />
        )}
      </div>
      <SpaceSwitcher />
      <AriaButton className="side-find" onPress={onPalette}>
        <Icon name="search" size={16} />
        <span className="side-label">{messages.shell.find}</span>
        <kbd>Ctrl K</kbd>
      </AriaButton>
      <nav className="side-pages" aria-label={messages.shell.navigation}>
        {pages
          .filter(({ shownIn, needs }) => shownIn !== 'account menu' && needs !== 'admin')
          .map((page) => (
            <Fragment key={page.to}>
              <PageLink {...page} />
              {page.to === '/files' && <TreeSlot isCollapsed={sidebar.isCollapsed} />}
            </Fragment>
          ))}
        {ofAdmins.length > 0 && (
          <span className="side-heading" aria-hidden="true">
            {messages.shell.administration}
          </span>
        )}
        {ofAdmins.map((page) => (
          <PageLink key={page.to} {...page} />
        ))}
        {isStarting && start && <PageLink {...start} shownIn="wide navigation" />}
      </nav>
      <AccountMenu />
    </header>
  );
}

function PageLink({ to, icon, label, shownIn }: Page) {
  return (
    <Link
      className={`side-link${shownIn === 'wide navigation' ? ' is-side' : ''}`}
      to={to}
      activeProps={{ className: 'is-current' }}
    >
      <Icon name={icon} size={19} />
      <span className="side-label">{label}</span>
    </Link>
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
  const leave = useSignOut();
  const { pathname } = useLocation();
  const pages = usePages();
  const isPhone = useMedia(PHONE);
  const menuPages = pages.filter(
    ({ shownIn }) => shownIn === 'account menu' || (isPhone && shownIn === 'wide navigation'),
  );
  const trigger = <AccountButton name={data?.user.name ?? ''} email={data?.user.email ?? ''} />;
  return (
    <Menu label={messages.shell.account} trigger={trigger} placement="top start">
      {THEMES.map(({ theme: one, icon }) => (
        <MenuItem
          key={one}
          icon={icon}
          end={one === theme ? <Icon name="check" size={15} /> : undefined}
          onAction={() => setTheme(one)}
        >
          {`${messages.shell.theme}: ${messages.shell.themes[one]}`}
        </MenuItem>
      ))}
      <MenuLine />
      {menuPages.map(({ to, icon, label }) => (
        <MenuItem key={to} icon={icon} onAction={() => navigate({ to })}>
          {label}
        </MenuItem>
      ))}
      <MenuItem icon="book" href={documentationOf(pathname)} target="_blank">
        {messages.documentation}
      </MenuItem>
      <MenuItem icon="external" href={urlOf('api/docs')} target="_blank">
        {messages.shell.reference}
      </MenuItem>
      <MenuLine />
      <MenuItem icon="signOut" onAction={leave}>
        {messages.shell.signOut}
      </MenuItem>
    </Menu>
  );
}

function AccountButton({ name, email }: { name: string; email: string }) {
  return (
    <AriaButton className="side-account">
      <span className="unseen">{messages.shell.account}</span>
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
