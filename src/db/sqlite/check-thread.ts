import { constants } from 'node:os';
import Database from 'better-sqlite3';
import { lowerThreadPriority } from '../../runtime/priority.ts';
import { answerQuestions } from '../../runtime/question-thread.ts';
import type { TableToCheck } from './background-check.ts';

lowerThreadPriority(constants.priority.PRIORITY_LOW);

/** Checks a table and its indexes for damage, on a connection of its own. */
answerQuestions(({ file, table }: TableToCheck): string => {
  const sqlite = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return sqlite.pragma(`quick_check('${table.replaceAll("'", "''")}')`, { simple: true }) as string;
  } finally {
    sqlite.close();
  }
});
