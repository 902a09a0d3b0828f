import { workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { answerQuestions } from '../../runtime/question-thread.ts';
import type { Statement } from './reader.ts';

/** Reads from a database on a connection of its own, so that the event loop of the service is not blocked meanwhile. */
const { file, waitMs } = workerData as { file: string; waitMs: number };
const sqlite = new Database(file, { readonly: true, fileMustExist: true, timeout: waitMs });

answerQuestions(({ sql, parameters }: Statement) => sqlite.prepare(sql).all(...parameters.map(toBuffer)));

/** Buffers become plain Uint8Arrays between threads, and SQLite accepts buffers only. */
const toBuffer = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value) : value);
