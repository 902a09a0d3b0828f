import type { ClaimedRole } from './members.ts';
import type { Role } from './roles.ts';

export interface ClaimedRoleSettings {
  /** Claim with the groups of a person. */
  rolesClaim: string;
  roles: readonly { group: string; space: string; role: Role }[];
  /** Role in the installation of a person without a group that has a role. */
  defaultRole: Role | undefined;
}

/** The roles that the groups of a person give. */
export function rolesOfClaims(claims: Readonly<Record<string, unknown>>, settings: ClaimedRoleSettings): ClaimedRole[] {
  const { rolesClaim, roles, defaultRole } = settings;
  const groups = groupsOf(claims, rolesClaim);
  const given = roles.filter(({ group }) => groups.includes(group)).map(({ space, role }) => ({ space, role }));
  return given.length === 0 && defaultRole !== undefined ? [{ space: '', role: defaultRole }] : given;
}

/** A claim may be called `realm_access.roles`, or be inside of another one. */
function groupsOf(claims: Readonly<Record<string, unknown>>, name: string): string[] {
  const claim = Object.hasOwn(claims, name) ? claims[name] : name.split('.').reduce<unknown>(partOf, claims);
  return [claim].flat().filter((group) => typeof group === 'string');
}

function partOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}
