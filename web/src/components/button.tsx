import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Link } from 'react-aria-components/Link';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

type ButtonVariant = 'main' | 'danger' | 'plain';

interface ButtonStyle {
  variant?: ButtonVariant;
  icon?: IconName;
  wide?: boolean;
  /**
   * Without children the button shows only its icon and needs an `aria-label`, which is also its tooltip, together with
   * the shortcut in `data-keys`.
   */
  children?: ReactNode;
}

const classOf = ({ variant, wide, children }: ButtonStyle) =>
  ['button', variant && `is-${variant}`, wide && 'is-wide', children === undefined && 'is-icon']
    .filter(Boolean)
    .join(' ');

type ButtonProps = Omit<AriaButtonProps, 'children' | 'className'> & ButtonStyle;

export function Button({ variant, icon, wide, children, isPending, ...rest }: ButtonProps) {
  return (
    <AriaButton
      className={classOf({ variant, wide, children } as ButtonStyle)}
      {...rest}
      {...(isPending && pendingProps(rest))}
    >
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}

/**
 * Ignores presses but keeps the focus. React Aria's own `isPending` also announces the button as an image, which has no
 * name once the button has been removed.
 */
function pendingProps({ type }: Pick<AriaButtonProps, 'type'>): Partial<AriaButtonProps> {
  return {
    onPress: undefined,
    // The Enter key in a field would submit the form again.
    ...(type === 'submit' && { type: 'button' }),
    render: (props) => <button {...props} aria-disabled="true" />,
  };
}

/** Link styled as a button: it can be opened in a tab, or downloads. */
export function ButtonLink({
  variant,
  icon,
  wide,
  children,
  ...rest
}: ButtonStyle & { href: string; download?: boolean | string; target?: string; 'aria-label'?: string }) {
  return (
    <Link className={classOf({ variant, wide, children } as ButtonStyle)} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}
