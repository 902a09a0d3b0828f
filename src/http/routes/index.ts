import type { Routes } from '../endpoints/endpoint.ts';
import { accessRoutes } from './access.ts';
import { accountRoutes } from './account.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes } from './auth.ts';
import { dashboardRoutes, rootRoutes } from './dashboard.ts';
import { cloudinaryRoutes } from './delivery/cloudinary.ts';
import { deliveryRoutes } from './delivery/delivery.ts';
import { imgproxyRoutes } from './delivery/imgproxy.ts';
import { signRoutes } from './delivery/sign.ts';
import { translateRoutes } from './delivery/translate.ts';
import { downloadRoutes } from './download.ts';
import { ticketRoutes } from './download-tickets.ts';
import { eventRoutes } from './events.ts';
import { healthRoutes } from './health.ts';
import { historyRoutes } from './history.ts';
import { invitationRoutes } from './invitations.ts';
import { assetRoutes } from './library/assets.ts';
import { batchRoutes } from './library/batch.ts';
import { folderRoutes } from './library/folders.ts';
import { invalidateRoutes } from './library/invalidate.ts';
import { redirectRoutes } from './library/redirects.ts';
import { statsRoutes } from './library/stats.ts';
import { storageRoutes } from './library/storage.ts';
import { tagRoutes } from './library/tags.ts';
import { trashRoutes } from './library/trash.ts';
import { limitsRoutes } from './limits.ts';
import { memberRoutes } from './members.ts';
import { oidcRoutes } from './oidc.ts';
import { openapiRoutes } from './openapi.ts';
import { queueRoutes } from './queue.ts';
import { settingsRoutes } from './settings.ts';
import { spaceRoutes } from './spaces.ts';
import { transformationRoutes } from './transformations.ts';
import { twoFactorRoutes } from './two-factor.ts';
import { resumableRoutes } from './uploads/resumable.ts';
import { uploadRoutes } from './uploads/upload.ts';
import { uploadUrlRoutes } from './uploads/upload-url.ts';
import { usageRoutes } from './usage.ts';
import { videoStatusRoutes } from './video-status.ts';
import { webhookRoutes } from './webhooks.ts';

/** All endpoints, in the order of the OpenAPI document. */
export const ROUTES: readonly Routes[] = [
  deliveryRoutes,
  cloudinaryRoutes,
  imgproxyRoutes,
  transformationRoutes,
  signRoutes,
  translateRoutes,
  downloadRoutes,
  ticketRoutes,
  uploadRoutes,
  uploadUrlRoutes,
  resumableRoutes,
  storageRoutes,
  trashRoutes,
  redirectRoutes,
  folderRoutes,
  batchRoutes,
  statsRoutes,
  assetRoutes,
  tagRoutes,
  invalidateRoutes,
  queueRoutes,
  eventRoutes,
  videoStatusRoutes,
  webhookRoutes,
  spaceRoutes,
  apiKeyRoutes,
  accessRoutes,
  memberRoutes,
  invitationRoutes,
  authRoutes,
  accountRoutes,
  auditRoutes,
  usageRoutes,
  twoFactorRoutes,
  oidcRoutes,
  healthRoutes,
  limitsRoutes,
  settingsRoutes,
  historyRoutes,
  rootRoutes,
  dashboardRoutes,
  openapiRoutes,
];
