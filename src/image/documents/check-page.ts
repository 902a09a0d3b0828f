import { LimitExceeded } from '../failure.ts';

/** @throws LimitExceeded beyond the last page of a file */
export function checkPage(page: number, count: number): void {
  if (page <= count) return;
  throw new LimitExceeded(`Parameter "pg": expected a page from 1 to ${count}, the last one, received ${page}.`);
}
