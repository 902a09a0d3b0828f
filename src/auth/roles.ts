import { PERMISSIONS, type Permission } from './api-key.ts';

/** Roles of a person in the installation or in a space, each with all rights of those before it. */
export const ROLES = ['viewer', 'contributor', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Number of permissions of each role, in their order. An owner is an admin who gives and takes `owner`. */
const PERMISSION_COUNTS: Readonly<Record<Role, number>> = { viewer: 1, contributor: 2, editor: 3, admin: 4, owner: 4 };

/** Role that counts for a key with the permission `admin`. */
export const ROLE_OF_ADMIN_KEYS: Role = 'admin';

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text);
}

/** The role of a row. Text of a newer version, which this one does not know, counts as the lowest role. */
export function storedRole(text: string): Role {
  return isRole(text) ? text : 'viewer';
}

export function permissionsOf(role: Role): readonly Permission[] {
  return PERMISSIONS.slice(0, PERMISSION_COUNTS[role]);
}

/** Negative if the first role is lower, positive if it is higher; for sorting. */
export function compareRoles(one: Role, another: Role): number {
  return ROLES.indexOf(one) - ROLES.indexOf(another);
}

/** The highest of some roles; undefined without one. Text that is no role counts as none. */
export function highestRole(roles: Iterable<string | undefined>): Role | undefined {
  let highest: Role | undefined;
  for (const role of roles) {
    if (role === undefined || !isRole(role)) continue;
    if (highest === undefined || compareRoles(role, highest) > 0) highest = role;
  }
  return highest;
}
