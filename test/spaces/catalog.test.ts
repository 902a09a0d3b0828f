import { openSqliteCatalogs } from '../contracts/catalog/open.ts';
import { spaceCatalogContract } from './catalog-contract.ts';

spaceCatalogContract('SQLite', openSqliteCatalogs);
