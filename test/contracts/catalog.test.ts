import { openSqliteCatalogs } from './catalog/open.ts';
import { catalogContract } from './catalog.ts';

catalogContract('SQLite', openSqliteCatalogs);
