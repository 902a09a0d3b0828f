import type { Routes } from '../endpoints/context.ts';
import { accountRoutes } from './account/account.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { ticketRoutes } from './archives/tickets.ts';
import { assetRoutes } from './assets/assets.ts';
import { batchRoutes } from './assets/batch.ts';
import { tagRoutes } from './assets/tags.ts';
import { authRoutes } from './auth.ts';
import { dashboardRoutes } from './dashboard.ts';
import { cloudinaryRoutes } from './delivery/cloudinary.ts';
import { deliveryRoutes } from './delivery/delivery.ts';
import { imgproxyRoutes } from './delivery/imgproxy.ts';
import { translateRoutes } from './delivery/translate.ts';
import { downloadRoutes } from './download.ts';
import { eventRoutes } from './events.ts';
import { healthRoutes } from './health.ts';
import { invalidateRoutes } from './invalidate.ts';
import { limitsRoutes } from './limits.ts';
import { openapiRoutes } from './openapi.ts';
import { queueRoutes } from './queue.ts';
import { rootRoutes } from './root.ts';
import { signRoutes } from './sign.ts';
import { statsRoutes } from './stats.ts';
import { historyRoutes } from './status/history.ts';
import { settingsRoutes } from './status/settings.ts';
import { folderRoutes } from './storage/folders.ts';
import { storageRoutes } from './storage/storage.ts';
import { transformationRoutes } from './transformations.ts';
import { trashRoutes } from './trash.ts';
import { resumableRoutes } from './uploads/resumable.ts';
import { uploadRoutes } from './uploads/upload.ts';
import { uploadUrlRoutes } from './uploads/upload-url.ts';
import { videoStatusRoutes } from './video-status.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';

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
  apiKeyRoutes,
  authRoutes,
  accountRoutes,
  healthRoutes,
  limitsRoutes,
  settingsRoutes,
  historyRoutes,
  rootRoutes,
  dashboardRoutes,
  openapiRoutes,
];
