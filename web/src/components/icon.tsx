import { ICONS, type IconName } from './icons.ts';

/** Decorative icon next to a text, or in a labelled control. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

/** Logo: paper in a tray under red light. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 40 40" aria-hidden="true">
      <rect width="40" height="40" rx="10" />
      <path d="M8 28 15.5 17.5l5.5 7 4-4.5 7 8z" />
      <circle cx="26.5" cy="13" r="3.2" />
    </svg>
  );
}
