// Written by "npm run docs" from the OpenAPI document; do not edit.

export type StorageStats = { "storage": { "size": number; "fileCount": number }; "cache": { "size": number; "fileCount": number }; "updatedAt": string; "purges"?: { "waiting": number; "failed": number; "oldestAt": string | null; "lastError": string | null } };

/** What each operation answers with. */
export interface Answers {
  getSession: { "session": { "id": string; "userId": string; "expiresAt": string; "createdAt": string; "updatedAt": string }; "user": { "id": string; "email": string; "name": string; "emailVerified": boolean; "image"?: string | null; "createdAt": string; "updatedAt": string } } | null;
  signIn: { "redirect": boolean; "token": string; "user": { "id": string; "email": string; "name": string; "emailVerified": boolean; "image"?: string | null; "createdAt": string; "updatedAt": string } };
  signOut: { "success": boolean };
  getSetup: { "needed": boolean };
  createFirstAccount: { "success": boolean; "message": string };
  getVersion: { "version": string };
  getReadiness: { "status": "ready"; "checks": Record<string, string>; "checkedAt": string | null };
  getStorageStats: StorageStats;
  recalculateStorageStats: StorageStats;
  getUsage: { "folders": ({ "size": number; "fileCount": number; "path": string })[]; "kinds": Record<string, { "size": number; "fileCount": number }>; "updatedAt": string };
  clearCache: { "success": boolean; "message": string; "details": { "localCacheFilesDeleted": number; "cloudCacheFilesDeleted": number } };
}
