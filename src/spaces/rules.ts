import type { Config } from '../config.ts';
import type { Space } from './space.ts';

/** How requests reach a space: it decides about links in responses. */
export type Entrance = 'prefix' | 'host';

/** The space of a request, and how the request reached it. */
export interface RequestSpace {
  space: Space;
  entrance: Entrance;
}

/** Prefix of the paths of all endpoints of a space. */
export const SPACE_PREFIX = '/b/';

/** Path of a space by its prefix, before the paths of all endpoints. */
export function spacePath({ id }: Pick<Space, 'id'>): string {
  return SPACE_PREFIX + id;
}

/** Returns the settings as they apply in a space: its rules replace those of the installation. */
export function configIn(config: Config, space: Space, entrance: Entrance): Config {
  const { http, limits, upload, auth } = config;
  const { rules } = space;
  const pathBase = entrance === 'host' ? '' : spacePath(space);
  return {
    ...config,
    http: {
      ...http,
      deliveryMode: rules.delivery ?? http.deliveryMode,
      corsOrigins: rules.cors ? [...rules.cors] : http.corsOrigins,
      linkBase: entrance === 'host' ? '' : (http.publicUrl ?? '') + pathBase,
      pathBase,
    },
    limits: { ...limits, presets: rules.presets ?? limits.presets },
    upload: {
      ...upload,
      maxFileBytes: Math.min(rules.maxFileBytes ?? Infinity, upload.maxFileBytes),
      ...((rules.maxFileBytes ?? Infinity) < upload.maxFileBytes && { maxFileSetting: 'maxFileBytes' }),
      types: rules.types,
    },
    auth: {
      ...auth,
      secret: space.secret,
      replacedSecrets: space.previousSecret ? [space.previousSecret] : [],
    },
  };
}
