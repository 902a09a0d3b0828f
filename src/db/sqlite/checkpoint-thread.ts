import { workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { answerQuestions } from '../../runtime/question-thread.ts';

/** Makes checkpoints on a connection of its own, so that the event loop of the service does not wait for the disk. */
const { file } = workerData as { file: string };
const sqlite = new Database(file, { fileMustExist: true, timeout: 0 });

// A passive checkpoint blocks neither readers nor writers. Later writes are left to the next one.
answerQuestions((_question: null) => void sqlite.pragma('wal_checkpoint(passive)'));
