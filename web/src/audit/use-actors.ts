import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { keysQuery } from '../api/keys.ts';
import { membersQuery } from '../api/people.ts';

export interface KnownActor {
  id: string;
  name: string;
}

/** People and keys of this place, and their names by id. */
export function useActors() {
  const members = useQuery(membersQuery).data?.members;
  const apiKeys = useQuery(keysQuery).data;
  return useMemo(() => {
    const people: KnownActor[] = (members ?? []).map(({ userId, name }) => ({ id: userId, name }));
    const keys: KnownActor[] = (apiKeys ?? []).map(({ id, name }) => ({ id, name }));
    const names = new Map([...people, ...keys].map(({ id, name }) => [id, name]));
    return { people, keys, names };
  }, [members, apiKeys]);
}

export type Actors = ReturnType<typeof useActors>;
