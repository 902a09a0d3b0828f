import { constants } from 'node:os';
import Database from 'better-sqlite3';
import { lowerThreadPriority } from '../../runtime/priority.ts';
import { answerQuestions } from '../../runtime/question-thread.ts';

lowerThreadPriority(constants.priority.PRIORITY_LOW);

/** Checks a database for damage on a connection of its own, while the service uses it. */
answerQuestions((file: string): string => {
  const sqlite = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return sqlite.pragma('quick_check(1)', { simple: true }) as string;
  } finally {
    sqlite.close();
  }
});
