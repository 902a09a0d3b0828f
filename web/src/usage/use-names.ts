import { useQuery } from '@tanstack/react-query';
import { keysQuery } from '../api/keys.ts';
import { LIBRARY, spacesQuery } from '../api/spaces.ts';
import type { UsageGroup, UsageRow } from '../api/usage.ts';
import { formatDay } from '../components/format.ts';
import { usageMessages } from '../messages/usage.ts';

/** Names of the rows: days, spaces or API keys. */
export function useNames(by: UsageGroup): (row: UsageRow) => string {
  const keys = useQuery({ ...keysQuery, enabled: by === 'key' }).data;
  const spaces = useQuery({ ...spacesQuery, enabled: by === 'space' }).data;
  return ({ day, space, key }) => {
    if (day !== undefined) return formatDay(`${day}T12:00:00`);
    if (space !== undefined) {
      if (space === '' || space === LIBRARY) return usageMessages.library;
      return spaces?.find(({ id }) => id === space)?.name ?? space;
    }
    if (key === undefined || key === '') return usageMessages.otherClients;
    return keys?.find(({ id }) => id === key)?.name ?? (keys === undefined ? key : usageMessages.deletedKey(key));
  };
}
