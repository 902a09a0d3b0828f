import { useQuery } from '@tanstack/react-query';
import { useCan, useIsInstallationAdmin } from '../../api/access.ts';
import { keysQuery } from '../../api/keys.ts';
import { settingsQuery } from '../../api/settings.ts';
import { statsQuery } from '../../api/status.ts';
import { useHasCopied } from '../../components/first-steps.ts';
import type { startMessages } from '../../messages/start.ts';

export interface Step {
  name: keyof typeof startMessages.steps;
  /** Page where it is done. */
  to: string;
  isDone: boolean;
}

/** Keys that the start of the service has made. */
const isOfStart = ({ id, name }: { id: string; name: string }) => id === 'environment' || name === 'First key';

/** The steps that apply here, by the real state; undefined until it is known. Only for admins. */
export function useSteps(): readonly Step[] | undefined {
  const enabled = useCan('admin');
  // Settings belong to the installation: in a space nobody can change them.
  const hasSettings = useIsInstallationAdmin();
  const stats = useQuery({ ...statsQuery, enabled }).data;
  const keys = useQuery({ ...keysQuery, enabled }).data;
  const settings = useQuery({ ...settingsQuery, enabled: hasSettings }).data?.settings;
  const hasCopied = useHasCopied();
  if (!enabled || stats === undefined || keys === undefined || (hasSettings && settings === undefined))
    return undefined;
  const isSet = (wanted: string) => settings?.some(({ name, isSet: is }) => name === wanted && is) ?? false;
  const steps: Step[] = [
    { name: 'upload', to: '/files', isDone: stats.storage.fileCount > 0 },
    { name: 'copy', to: '/playground', isDone: hasCopied },
    { name: 'key', to: '/keys', isDone: keys.some((key) => !isOfStart(key)) },
  ];
  if (!hasSettings) return steps;
  return [
    ...steps,
    { name: 'url', to: '/settings', isDone: isSet('PUBLIC_URL') },
    { name: 'limit', to: '/settings', isDone: isSet('PUBLIC_RATE_LIMIT_MAX') },
  ];
}
