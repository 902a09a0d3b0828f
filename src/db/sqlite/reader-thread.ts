import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { Question, Reply } from './reader.ts';

/** Reads from a database on a connection of its own, so that the event loop of the service does not stand still meanwhile. */
const { file, waitMs } = workerData as { file: string; waitMs: number };
const sqlite = new Database(file, { readonly: true, fileMustExist: true, timeout: waitMs });

parentPort?.on('message', ({ id, sql, parameters }: Question) => {
  parentPort?.postMessage(answer(id, sql, parameters));
});

function answer(id: number, sql: string, parameters: readonly unknown[]): Reply {
  try {
    return { id, rows: sqlite.prepare(sql).all(...parameters.map(toBuffer)) };
  } catch (error) {
    const { message = String(error), code = '' } = error as { message?: string; code?: string };
    return { id, failure: { message, code } };
  }
}

/** Bytes lose their kind between threads, and SQLite takes buffers alone. */
const toBuffer = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value) : value);
