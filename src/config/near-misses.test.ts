import { expect, test } from 'vitest';
import { describeVariables } from '../../test/settings.ts';
import { nearMisses } from './near-misses.ts';

const KNOWN = Object.keys(describeVariables());

test.each([
  ['MAX_FILE_SZE_MB', 'MAX_FILE_SIZE_MB'],
  ['MAX_FILES_SIZE_MB', 'MAX_FILE_SIZE_MB'],
  ['MAX_FILE_SIZE_BM', 'MAX_FILE_SIZE_MB'],
  ['MAX_FILE_SIZE', 'MAX_FILE_SIZE_MB'],
  ['STORAGE_BUCKET', 'STORAGE_BUCKET_NAME'],
  ['DATADIR', 'DATA_DIR'],
  ['DATA_DRI', 'DATA_DIR'],
  ['data_dir', 'DATA_DIR'],
  ['API_SECERT', 'API_SECRET'],
  ['API_KEYS', 'API_KEY'],
  ['PUBLIC_URI', 'PUBLIC_URL'],
  ['TRUSTED_PROXY', 'TRUSTED_PROXIES', 'too far'],
  ['CORS_ORIGINS', 'CORS_ORIGIN'],
  ['RENDER_WORKER', 'RENDER_WORKERS'],
])('%s is near to %s', (name, meant, isTooFar = '') => {
  expect(nearMisses([name], KNOWN)).toEqual(isTooFar ? [] : [{ name, meant }]);
});

test('no setting is a near miss of another', () => {
  expect(nearMisses(KNOWN, KNOWN)).toEqual([]);
});

test('what other programs read is none of our business', () => {
  const foreign = [
    ...[
      'PATH',
      'HOME',
      'NODE',
      'POST',
      'HOSTS',
      'MODES',
      'PORTS',
      'LANG',
      'SHELL',
      'TERM',
      'USER',
      'PWD',
      'TZ',
      'DEBUG',
    ],
    ...['NODE_ENV', 'NODE_OPTIONS', 'HOSTNAME', 'INIT_CWD', 'npm_config_cache', 'npm_package_json', 'COLOR', 'EDITOR'],
    ...['REDIS_URL', 'PUBLIC_KEY', 'ADMIN_USER', 'LOG_FILE', 'AWS_REGION', 'AWS_SECRET_ACCESS_KEY'],
    ...['API_TOKEN', 'API_URL', 'CACHE_DIR', 'STORAGE_CLASS', 'XDG_DATA_DIRS', 'XDG_DATA_HOME', 'NODE_EXTRA_CA_CERTS'],
  ];
  expect(nearMisses(foreign, KNOWN)).toEqual([]);
});
