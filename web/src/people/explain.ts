import { ApiError } from '../api/error.ts';
import type { Role } from '../api/people.ts';
import { peopleMessages } from '../messages/people.ts';
import { roleMessages } from '../messages/roles.ts';

/** Waits for a change of roles, and replaces refusals by an error that says what to do. */
export async function explained<T>(change: Promise<T>, ownRole: Role): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'last_owner') throw new Error(peopleMessages.lastOwner);
    if (error.code === 'role_too_high') throw new Error(peopleMessages.tooHigh(roleMessages.name[ownRole]));
    throw error;
  }
}
