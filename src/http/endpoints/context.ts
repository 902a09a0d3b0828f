import type { Services } from '../../services.ts';
import type { RateLimiter } from '../admission/rate-limit.ts';
import type { UploadRoom } from '../bodies/upload-room.ts';
import type { History } from '../observe/history.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { HotAnswers } from '../transport/hot-answers.ts';
import type { Endpoint } from './endpoint.ts';

/** The dependencies of the handlers of endpoints. */
export interface RouteContext {
  services: Services;
  hotAnswers: HotAnswers;
  /** The capacity for temporary files of all uploads together. */
  uploadRoom: UploadRoom;
  /** True while this node should receive requests: from the start until the service is requested to stop. */
  isServing(): boolean;
  metrics(): Metrics;
  history(): History;
  /**
   * Counts a refused signature against the client's rate limit.
   * @throws HttpProblem 429 when that is used up
   */
  countRefusal: RateLimiter['countRefusal'];
  /** All endpoints of the service. */
  endpoints(): readonly Endpoint[];
}

/** A family of endpoints. */
export type Routes = (context: RouteContext) => readonly Endpoint[];
