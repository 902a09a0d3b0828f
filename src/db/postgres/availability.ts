import { Availability } from '../../availability.ts';
import { SingleFlight } from '../../concurrency.ts';
import { HttpProblem } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { driverError, isUnavailable } from './outage.ts';

/**
 * Tracks the availability of a server, logged once per failure.
 * @param verify verifies the database as a start does, because another one may have come back; throws the reason
 * against it
 */
export function createAvailability(verify: () => Promise<void>, log: Log): Availability {
  const verifications = new SingleFlight<void>();
  // Migrations may take longer than the interval of probes.
  const availability = new Availability(() => verifications.run('', undefined, verify));
  availability.onChange((failure) => {
    if (failure === undefined) {
      log.info('PostgreSQL is available');
      return;
    }
    const err = failure instanceof HttpProblem ? (failure.cause ?? failure) : failure;
    const level = isUnavailable(driverError(err)) ? 'warn' : 'error';
    log[level]({ err }, 'PostgreSQL is unavailable: images are served, requests that need the database are 503');
  });
  return availability;
}
