import { z } from 'zod';
import { defineEndpoint, type Endpoint, type RouteContext } from '../endpoints/endpoint.ts';

const setting = z.object({
  name: z.string().describe('Name of the environment variable.'),
  value: z.string().nullable().describe('Effective value; null without a value or default, and for secrets.'),
  default: z.string().nullable(),
  isSet: z.boolean(),
  isSecret: z.boolean(),
  description: z.string().describe('Its meaning, with code between backticks.'),
  group: z.string().describe('Section of the configuration.'),
  documentation: z.string().describe('Page that explains it, below `/api/docs/guide/`.'),
});
const answer = z.object({
  settings: z.array(setting),
  storage: z.enum(['disk', 's3']).describe('Storage of the originals.'),
  deliveryMode: z.enum(['open', 'signed', 'presets']),
  ffmpeg: z.boolean().describe('True if this node has ffmpeg.'),
  faces: z.boolean().describe('True if face detection works.'),
});

/** `GET /settings`: the configuration, without secrets. */
export function settingsRoutes({ services: { config, hasFfmpeg } }: RouteContext): readonly Endpoint[] {
  return [
    defineEndpoint('GET /settings', {
      access: 'admin',
      isForInstallation: true,
      noStore: true,
      openapi: { id: 'getSettings', tag: 'Health', summary: 'Configuration of the service.' },
      schemas: { response: { 200: answer } },
      handle: () => ({
        settings: [...config.settings],
        storage: config.storage.kind,
        deliveryMode: config.http.deliveryMode,
        ffmpeg: hasFfmpeg,
        // The detector is part of the service.
        faces: true,
      }),
    }),
  ];
}
