import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Link } from 'react-aria-components/Link';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

type Look = 'main' | 'danger' | 'plain';

interface Face {
  look?: Look;
  icon?: IconName;
  wide?: boolean;
  /** Without words a button shows its icon alone, and needs an `aria-label`. */
  children?: ReactNode;
}

const classOf = ({ look, wide, children }: Face) =>
  ['button', look && `is-${look}`, wide && 'is-wide', children === undefined && 'is-icon'].filter(Boolean).join(' ');

type ButtonProps = Omit<AriaButtonProps, 'children' | 'className'> & Face;

export function Button({ look, icon, wide, children, ...rest }: ButtonProps) {
  return (
    <AriaButton className={classOf({ look, wide, children } as Face)} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}

/** An address that looks like a button: it can be opened in another tab, or downloads. */
export function ButtonLink({
  look,
  icon,
  wide,
  children,
  ...rest
}: Face & { href: string; download?: boolean | string; target?: string; 'aria-label'?: string }) {
  return (
    <Link className={classOf({ look, wide, children } as Face)} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}
