// Written by "npm run docs" from the OpenAPI document; do not edit.

export type ApiKey = { "id": string; "name": string; "start": string; "prefix": string | null; "enabled": boolean; "permissions": ("read" | "upload" | "manage" | "admin")[]; "expiresAt": string | null; "createdAt": string; "updatedAt": string; "lastUsedAt": string | null; "remaining": number | null; "rateLimitEnabled": boolean };

export type Asset = { "path": string; "name": string; "folder": string; "kind": "image" | "video" | "audio" | "model" | "document"; "type": string; "size": number; "mtime": string; "createdAt": string; "etag": string; "revision": number; "title": string | null; "alt": string | null; "description": string | null; "tags": (string)[]; "fields": Record<string, unknown>; "focal": { "x": number; "y": number } | null; "described": boolean; "width": number | null; "height": number | null; "duration": number | null; "frames": number | null; "hasAlpha": boolean | null; "codec": string | null; "bitrate": number | null; "takenAt": string | null; "camera": string | null; "hasGps": boolean | null; "dominantColour": string | null; "palette": (string)[]; "placeholder": string | null; "sha256": string | null; "variants"?: { "count": number; "size": number } };

export type ErrorCode = "bad_request" | "missing_input" | "validation_failed" | "malformed_body" | "too_many_items" | "invalid_host" | "invalid_cursor" | "invalid_encoding" | "invalid_name" | "invalid_path" | "invalid_destination" | "no_free_name" | "is_a_folder" | "wrong_job_state" | "invalid_transformation" | "parameter_out_of_range" | "transformation_too_long" | "untranslatable" | "untransformable" | "limit_exceeded" | "malformed_signature" | "unsignable_path" | "unsupported_type" | "type_mismatch" | "url_not_public" | "url_not_fetched" | "file_too_large" | "undecodable_picture" | "unauthorized" | "invalid_api_key" | "invalid_credentials" | "signature_required" | "wrong_signature" | "signature_expired" | "expiry_too_far" | "forbidden" | "missing_permission" | "foreign_origin" | "wrong_password" | "preset_required" | "not_found" | "unknown_endpoint" | "file_not_found" | "folder_not_found" | "no_files_found" | "version_not_found" | "trash_item_not_found" | "tag_not_found" | "ticket_not_found" | "upload_not_found" | "job_not_found" | "api_key_not_found" | "session_not_found" | "webhook_not_found" | "not_processed" | "method_not_allowed" | "request_timeout" | "name_taken" | "offset_mismatch" | "upload_incomplete" | "webhook_conflict" | "setup_closed" | "precondition_failed" | "unsupported_tus_version" | "payload_too_large" | "range_not_satisfiable" | "expectation_failed" | "unprocessable_media" | "transcode_failed" | "transcode_cancelled" | "upload_busy" | "rate_limited" | "too_many_sign_ins" | "too_much_work" | "too_many_uploads" | "too_many_listeners" | "headers_too_large" | "internal_error" | "signing_not_configured" | "unavailable" | "queue_full" | "overloaded" | "render_failed" | "render_timeout" | "ffmpeg_missing" | "storage_unavailable" | "origin_unavailable" | "origins_full" | "database_unavailable" | "out_of_resources" | "stopping" | "not_ready";

export type FileVersion = { "id": string; "size": number; "createdAt": string; "width": number | null; "height": number | null };

export type Job = { "id": string; "filePath": string; "transformation": string; "url": string; "status": "pending" | "running" | "completed" | "error" | "cancelled"; "priority": number; "progress": number; "attempts": number; "createdAt": string; "startedAt": string | null; "completedAt": string | null; "error": string | null };

export type Parameter = { "key": string; "aliases": (string)[]; "separator": "_" | ":"; "name": string; "summary": string; "forms": string; "default"?: string; "alone"?: string; "examples": (string)[]; "shape": ParameterShape };

export type ParameterShape = unknown;

export type StorageStats = { "storage": { "size": number; "fileCount": number }; "cache": { "size": number; "fileCount": number }; "updatedAt": string; "purges"?: { "waiting": number; "failed": number; "oldestAt": string | null; "lastError": string | null } };

export type StoredFile = { "name": string; "path": string; "size": number; "mtime": string; "type": "image" | "video" | "audio" | "model" | "document"; "width": number | null; "height": number | null; "duration": number | null; "placeholder": string | null; "tags": (string)[]; "alt": string | null };

export type StoredFolder = { "name": string; "path": string };

export type TrashItem = { "id": string; "path": string; "kind": "image" | "video" | "audio" | "model" | "document" | "folder"; "size": number; "deletedAt": string; "expiresAt": string };

export type UploadResult = { "success": boolean; "files": (UploadedFile)[]; "errors": ({ "filename": string; "error": string; "code": ErrorCode })[] };

export type UploadedFile = { "filename": string; "path": string; "size": number; "url": string; "prewarmedUrls": (string)[]; "prewarmErrors": (string)[]; "queuedTransformationUrls": (string)[]; "queueErrors": (string)[]; "skipped"?: true };

export type Webhook = { "url": string; "events": ("file.stored" | "file.moved" | "file.deleted" | "job.completed" | "job.error")[]; "folder": string; "enabled": boolean; "id": string; "disabledReason": string | null; "failingSince": string | null; "waiting": number; "createdAt": string };

export type WebhookDelivery = { "id": string; "event": string; "createdAt": string; "status": "pending" | "delivered" | "failed"; "nextAttemptAt": string | null; "attempts": ({ "at": string; "responseStatus": number | null; "durationMs": number; "error": string | null })[]; "payload": Record<string, unknown> };

/** What each operation answers with. */
export interface Answers {
  getSession: { "session": { "id": string; "userId": string; "expiresAt": string; "createdAt": string; "updatedAt": string }; "user": { "id": string; "email": string; "name": string; "emailVerified": boolean; "image"?: string | null; "createdAt": string; "updatedAt": string } } | null;
  signIn: { "redirect": boolean; "token": string; "user": { "id": string; "email": string; "name": string; "emailVerified": boolean; "image"?: string | null; "createdAt": string; "updatedAt": string } };
  signOut: { "success": boolean };
  getSetup: { "needed": boolean };
  createFirstAccount: { "success": boolean; "message": string };
  getVersion: { "version": string };
  getReadiness: { "status": "ready"; "checks": { "database": string; "storage": string; "render": string }; "checkedAt": string | null };
  getStorageStats: StorageStats;
  recalculateStorageStats: StorageStats;
  getUsage: { "folders": ({ "size": number; "fileCount": number; "path": string })[]; "kinds": Record<string, { "size": number; "fileCount": number }>; "updatedAt": string };
  clearCache: { "success": boolean; "message": string; "details": { "localCacheFilesDeleted": number; "cloudCacheFilesDeleted": number } };
  getHistory: { "stepSeconds": number; "samples": ({ "at": string; "requests": number; "hits": number; "misses": number; "bytesSent": number; "renders": number; "renderP95Ms": number | null; "queued": number; "rss": number; "jobs": number | null })[] };
  listFolder: { "path": string; "folders": (StoredFolder)[]; "files": (StoredFile)[]; "nextCursor": string | null; "total": number; "version": string | null };
  listAssets: { "assets": (Asset)[]; "total": number; "isTotalExact": boolean; "nextCursor": string | null; "facets"?: { "kind"?: Record<string, number>; "tag"?: Record<string, number>; "type"?: Record<string, number> } };
  getAsset: Asset;
  updateAsset: Asset;
  listTags: { "tags": ({ "tag": string; "count": number })[] };
  renameFile: { "success": boolean; "path": string };
  createFolder: { "success": boolean; "folder": string };
  invalidateVariants: { "success": boolean; "message": string; "details": { "localCacheFilesDeleted": number; "cloudCacheFilesDeleted": number; "errors"?: (string)[] } };
  batch: { "success": boolean; "results": ({ "path": string; "newPath"?: string; "error"?: string; "code"?: ErrorCode })[]; "nextCursor": string | null };
  getLimits: { "limits": ({ "name": string; "value": number; "unit": string; "setting": string })[]; "families": (string)[] };
  uploadFiles: UploadResult;
  summariseFolders: { "summaries": Record<string, { "itemCount": number; "truncated": boolean; "previewItems": ({ "path": string; "type": "image" | "video" })[] }> };
  createZipTicket: { "url": string; "size": number; "entries": number; "expires": number };
  getSettings: { "settings": ({ "name": string; "value": string | null; "default": string | null; "isSet": boolean; "isSecret": boolean })[]; "storage": "disk" | "s3"; "deliveryMode": "open" | "signed" | "presets"; "ffmpeg": boolean; "faces": boolean };
  listApiKeys: { "success": boolean; "keys": (ApiKey)[] };
  createApiKey: { "success": boolean; "apiKey": { "id": string; "key": string; "name": string; "start": string; "prefix": string | null; "permissions": ("read" | "upload" | "manage" | "admin")[]; "createdAt": string; "expiresAt": string | null }; "message": string };
  updateApiKey: { "success": boolean; "key": ApiKey; "message": string };
  deleteApiKey: { "success": boolean; "message": string };
  listWebhooks: { "webhooks": (Webhook)[] };
  createWebhook: { "success": boolean; "webhook": Webhook; "secret": string };
  updateWebhook: { "success": boolean; "webhook": Webhook };
  deleteWebhook: { "success": boolean; "message": string };
  rotateWebhookSecret: { "success": boolean; "secret": string; "previousUntil": string };
  testWebhook: { "success": boolean; "delivery": WebhookDelivery };
  listWebhookDeliveries: { "deliveries": (WebhookDelivery)[]; "nextCursor": string | null };
  redeliverToWebhook: { "success": boolean; "delivery": WebhookDelivery };
  listTrash: { "items": (TrashItem)[]; "nextCursor": string | null };
  restoreFromTrash: { "success": boolean; "path": string };
  deleteFromTrash: { "success": boolean; "message": string };
  emptyTrash: { "success": boolean; "message": string; "itemsDeleted": number };
  listJobs: { "jobs": (Job)[]; "limit": number; "offset": number; "count": number; "total": number };
  getQueueStats: { "pending": number; "running": number; "completed": number; "error": number; "cancelled": number; "throughput": { "completedLastHour": number; "averageDurationMs": number | null } };
  getWorkerStats: { "isRunning": boolean; "maxConcurrent": number; "processingCount": number; "pollInterval": number };
  retryJob: { "success": boolean; "message": string };
  cancelJob: { "success": boolean; "message": string };
  deleteJob: { "success": boolean; "message": string };
  retryJobs: { "success": boolean; "count": number };
  deleteJobs: { "success": boolean; "count": number };
  listSessions: { "sessions": ({ "id": string; "current": boolean; "createdAt": string; "expiresAt": string; "address": string | null; "userAgent": string | null })[] };
  changePassword: { "success": boolean };
  updateAccount: { "user": { "id": string; "email": string; "name": string; "emailVerified": boolean; "image"?: string | null; "createdAt": string; "updatedAt": string } };
  endSession: { "success": boolean };
  endOtherSessions: { "success": boolean };
  listTransformations: { "image": (Parameter)[]; "video": (Parameter)[]; "layer": (Parameter)[]; "text": (Parameter)[]; "presets": ({ "name": string; "transformation": string })[] };
  signDeliveryUrl: { "url": string; "expires"?: number };
  getVideoStatus: { "status": "not_found" | "pending" | "running" | "completed" | "error" | "cancelled"; "progress": number; "startedAt": string | null; "completedAt": string | null; "error": string | null; "message": string; "rungs"?: ({ "status": "not_found" | "pending" | "running" | "completed" | "error" | "cancelled"; "progress": number; "startedAt": string | null; "completedAt": string | null; "error": string | null; "message": string; "kind": "picture" | "sound"; "height": number | null })[] };
  getVideoSize: { "size": number; "status": "ready" };
  listVersions: { "versions": (FileVersion)[] };
  restoreVersion: { "success": boolean; "path": string; "size": number; "version": string };
  deleteVersion: { "success": boolean; "message": string };
  listDuplicates: { "groups": ({ "assets": (Asset)[]; "wastedBytes": number })[]; "nextCursor": string | null };
}
