import { ICONS, type IconName } from './icons.ts';

/** An icon beside a word, or in a control that has a name: it says nothing by itself. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

/** The logo: a sheet of paper in the tray, under the red light. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 40 40" aria-hidden="true">
      <rect width="40" height="40" rx="10" />
      <path d="M8 28 15.5 17.5l5.5 7 4-4.5 7 8z" />
      <circle cx="26.5" cy="13" r="3.2" />
    </svg>
  );
}
