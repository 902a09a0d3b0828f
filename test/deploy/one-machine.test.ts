import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { V8_OPTIONS } from '../../scripts/v8-options.mjs';
import { type Config, readConfig } from '../../src/config.ts';
import { SETTING_NAMES } from '../settings.ts';
import { KINDS } from './kubernetes.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const UNIT = join(ROOT, 'deploy', 'darkroom.service');

const secondsToStop = ({ http }: Config) => (http.drainDelayMs + http.shutdownTimeoutMs) / 1000;

/** Parses the configuration of an environment, all of whose names must be known. */
function configure(environment: Readonly<Record<string, string>>): Config {
  expect(SETTING_NAMES).toEqual(expect.arrayContaining(Object.keys(environment)));
  return readConfig({ ...environment });
}

describe('the files for Compose', () => {
  test.each(['compose.yaml', 'compose.cluster.yaml'])('%s confines everything that it starts', async (file) => {
    const { services } = parse(await readFile(join(ROOT, file), 'utf8'), { merge: true });
    for (const [name, service] of Object.entries<Record<string, unknown>>(services)) {
      const { read_only, cap_drop, security_opt, init, tmpfs, mem_limit, pids_limit, privileged, cap_add } = service;
      const said = { read_only, cap_drop, security_opt, init, privileged, cap_add };
      expect([name, said]).toEqual([
        name,
        { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], init: true },
      ]);
      expect([name, tmpfs]).toEqual([name, expect.arrayContaining([expect.stringMatching(/^\/tmp:size=/)])]);
      expect([name, typeof mem_limit, typeof pids_limit]).toEqual([name, 'string', 'number']);
    }
  });

  test('compose.yaml takes settings from .env, and waits longer for the service than it takes to stop', async () => {
    const { darkroom } = parse(await readFile(join(ROOT, 'compose.yaml'), 'utf8')).services;
    expect(darkroom.env_file).toEqual([{ path: '.env', required: false }]);
    expect(Number.parseInt(darkroom.stop_grace_period, 10)).toBeGreaterThan(secondsToStop(readConfig({})));
    expect(await readFile(join(ROOT, 'Dockerfile'), 'utf8')).toMatch(/^HEALTHCHECK .*\/livez/m);
  });
});

describe('deploy/kubernetes.yaml', async () => {
  const text = await readFile(join(ROOT, 'deploy', 'kubernetes.yaml'), 'utf8');
  const objects = parseAllDocuments(text).map((document) => document.toJS());
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const pod = deployment?.spec.template.spec;
  const [container] = pod?.containers ?? [];
  const environment = Object.fromEntries(
    container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
  );

  test('has fields that Kubernetes knows, and no others', () => {
    expect(objects.map(({ kind }) => kind)).toEqual(['PersistentVolumeClaim', 'Service', 'Deployment']);
    for (const object of objects) expect(KINDS[object.kind]?.safeParse(object).error?.issues).toBeUndefined();
  });

  test('leads from the service to the container, and from the container to its volume', () => {
    const [claim, service] = objects;
    const labels = deployment.spec.template.metadata.labels;
    expect([service.spec.selector, deployment.spec.selector.matchLabels]).toEqual([labels, labels]);
    const [port] = container.ports;
    expect(service.spec.ports[0].targetPort).toBe(port.name);
    expect(String(port.containerPort)).toBe(environment.PORT);
    expect(pod.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
    expect(container.volumeMounts).toEqual([
      { name: 'data', mountPath: environment.DATA_DIR },
      { name: 'tmp', mountPath: '/tmp' },
    ]);
  });

  test('runs one process on the volume at a time, and lets it finish', () => {
    expect([deployment.spec.replicas, deployment.spec.strategy.type]).toEqual([1, 'Recreate']);
    const config = configure({ ...environment, API_SECRET: 's'.repeat(24), API_KEY: 'k'.repeat(40) });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(secondsToStop(config));
  });

  test('asks where the service answers, and confines it as the chart does', () => {
    expect(container.livenessProbe.httpGet.path).toBe('/livez');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    expect(pod.securityContext.seccompProfile).toEqual({ type: 'RuntimeDefault' });
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
  });
});

describe('deploy/darkroom.service', async () => {
  const lines = (await readFile(UNIT, 'utf8')).split('\n').filter((line) => /^\w/.test(line));
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));

  test('gives the service settings that it knows, and more time to stop than it takes', () => {
    const words = valuesOf('Environment').flatMap((line) => line.split(' '));
    const environment = Object.fromEntries(words.map((word) => word.split('=')));
    const ours = Object.entries<string>(environment).filter(([name]) => SETTING_NAMES.includes(name));
    expect(ours.map(([name]) => name)).toEqual(['DATA_DIR', 'LOG_FORMAT']);
    const config = configure(Object.fromEntries(ours));
    expect(config.data.directory).toBe(`/var/lib/${valuesOf('StateDirectory')}`);
    expect(Number(valuesOf('TimeoutStopSec'))).toBeGreaterThan(secondsToStop(config));
    // The workers must outlive the requests in flight.
    expect(valuesOf('KillMode')).toEqual(['mixed']);
    expect(Number(valuesOf('LimitNOFILE'))).toBeGreaterThan(2 * config.http.maxConnections);
  });

  test('calls Node itself, with the options that the service is started with, and checks the settings first', () => {
    const node = '/opt/darkroom/node_modules/.bin/node';
    const main = 'node_modules/darkroom/src/main.js';
    expect(valuesOf('ExecStart')).toEqual([[node, ...V8_OPTIONS, main].join(' ')]);
    expect(valuesOf('ExecStartPre')).toEqual([`${node} ${main} --check-config`]);
    expect(lines.join('\n')).not.toMatch(/^MemoryDenyWriteExecute=/m);
  });

  await describeWithSystemd('as systemd reads it', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'darkroom-unit-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    test('has no line that it does not understand', async () => {
      await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
      await symlink(process.execPath, join(folder, 'node_modules', '.bin', 'node'));
      const unit = join(folder, 'darkroom.service');
      await writeFile(unit, (await readFile(UNIT, 'utf8')).replaceAll('/opt/darkroom', folder));
      const { stderr } = await run('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', unit]);
      expect(stderr.split('\n').filter((line) => line.includes('darkroom'))).toEqual([]);
    });

    test('is exposed by 1.4 of 10 at most', async () => {
      await run('systemd-analyze', ['security', '--offline=true', '--threshold=14', UNIT]);
    });
  });
});

/**
 * Defines tests that need systemd's own parser; without it they are skipped with a reason, but not in a complete check.
 */
async function describeWithSystemd(name: string, tests: () => void): Promise<void> {
  const isThere = await run('systemd-analyze', ['--version']).then(
    () => true,
    () => false,
  );
  if (isThere || process.env.CI === 'true') describe(name, tests);
  else describe.skip(`${name} (skipped: systemd-analyze is not installed)`, tests);
}
