import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Config, readConfig } from '../../src/config.ts';
import { SECRET_NAMES, SETTING_NAMES } from '../settings.ts';
import { CHART, describeWithHelm, renderChart } from './helm.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MEGABYTE = 1024 * 1024;

/** Values of secrets. */
const SECRET_VALUES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://darkroom:password@postgres:5432/darkroom',
  DATABASE_SESSION_URL: 'postgres://darkroom:password@postgres:5432/darkroom',
  STORAGE_ACCESS_KEY_ID: 'id',
  STORAGE_SECRET_ACCESS_KEY: 'key',
  API_SECRET: 'a-secret-of-at-least-16-characters',
  API_SECRET_OLD: 'a-secret-that-was-replaced-by-another',
  API_KEY: 'k'.repeat(40),
  IMGPROXY_KEY: 'ab'.repeat(16),
  IMGPROXY_SALT: 'cd'.repeat(16),
  ADMIN_EMAIL: 'admin@example.com',
  ADMIN_PASSWORD: 'password-of-the-admin',
  OIDC_CLIENT_SECRET: 'the-secret-of-a-client',
  CDN_PURGE_URL: 'https://cdn.example.com/purge',
  CDN_PURGE_TOKEN: 'token',
};

const read = async (file: string) => parse(await readFile(file, 'utf8'), { merge: true });

/** Parses the configuration of an environment, all of whose names must be known. */
function configure(environment: Readonly<Record<string, string>>): Config {
  expect(SETTING_NAMES).toEqual(expect.arrayContaining(Object.keys(environment)));
  return readConfig({ ...environment });
}

/** Returns the maximum time for a node to stop, in seconds. */
function secondsToStop({ http }: Config): number {
  return (http.drainDelayMs + http.shutdownTimeoutMs) / 1000;
}

describe('compose.cluster.yaml', async () => {
  const cluster = await read(join(ROOT, 'compose.cluster.yaml'));
  const nodes = [cluster.services['darkroom-1'], cluster.services['darkroom-2']];
  /** Sets every variable of the file `.env`. */
  const environment = Object.fromEntries(
    Object.entries<string>(nodes[0].environment).map(([name, value]) => [
      name,
      value.replace(/\$\{[^}]*\}/g, 'x'.repeat(40)),
    ]),
  );

  test('gives the nodes settings that the service knows and accepts', () => {
    const config = configure(environment);
    expect(config.storage.kind).toBe('s3');
    expect(config.http.trustedProxies).toEqual([cluster.networks.default.ipam.config[0].subnet]);
    expect(nodes[1].environment).toEqual(nodes[0].environment);
  });

  test('waits for a node longer than it takes to stop, and gives each its own folder', () => {
    const [first, second] = nodes;
    expect(Number.parseInt(first.stop_grace_period, 10)).toBeGreaterThan(secondsToStop(configure(environment)));
    expect(first.volumes).not.toEqual(second.volumes);
  });

  test('confines a node as compose.yaml does', async () => {
    const { darkroom } = (await read(join(ROOT, 'compose.yaml'))).services;
    for (const name of ['init', 'mem_limit', 'pids_limit', 'read_only', 'tmpfs', 'cap_drop', 'security_opt']) {
      expect([name, nodes[0][name]]).toEqual([name, darkroom[name]]);
    }
  });

  test('is a project of its own, so that its network is not that of compose.yaml', async () => {
    expect(cluster.name).toBe('darkroom-cluster');
    expect(await read(join(ROOT, 'compose.yaml'))).not.toHaveProperty('name');
  });

  test('takes every image in a version, and HAProxy with its file', () => {
    const { haproxy, ...others } = cluster.services;
    expect(haproxy.volumes).toEqual(['./deploy/haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro']);
    for (const { image } of [haproxy, others.postgres, others.store, others.bucket]) {
      expect(image).toMatch(/^[a-z/]+:.*\d/);
    }
  });
});

describe('the chart in deploy/helm', async () => {
  const values = await read(join(CHART, 'values.yaml'));
  const { required, optional } = values.secret;
  const names: string[] = [...required, ...optional];
  const secrets = Object.fromEntries(names.map((name) => [name, SECRET_VALUES[name] ?? '']));

  test('takes from its Secret whatever the service never shows', () => {
    expect(names).toEqual(expect.arrayContaining([...SECRET_NAMES]));
  });

  test('has settings that the service knows and accepts', () => {
    const settings = Object.entries(values.settings).map(([name, value]) => [name, String(value)]);
    const chosen = {
      STORAGE_BUCKET_NAME: 'bucket',
      CDN_TAGS: 'true',
      COMPAT: 'imgproxy',
      PUBLIC_URL: 'https://media.example.com',
      OIDC_ISSUER: 'https://login.example.com',
      OIDC_CLIENT_ID: 'darkroom',
    };
    const config = configure({ ...Object.fromEntries(settings), ...chosen, ...secrets });
    expect(config.storage.kind).toBe('s3');
    expect(config.http.drainDelayMs).toBe(5000);
  });

  test('has room on its volume for everything that lies there', () => {
    const { CACHE_MAX_SIZE_MB, STORAGE_LOCAL_CACHE_MB, UPLOAD_TEMP_MAX_MB } = values.settings;
    const bytes = Number.parseInt(values.nearCache.size, 10) * 1024 * MEGABYTE;
    expect(values.nearCache.size).toMatch(/^\d+Gi$/);
    expect(bytes).toBeGreaterThan((CACHE_MAX_SIZE_MB + STORAGE_LOCAL_CACHE_MB + UPLOAD_TEMP_MAX_MB) * MEGABYTE);
  });

  await describeWithHelm('rendered', () => {
    test('gives a node its settings as they are written, and no empty ones', async () => {
      const [deployment] = (
        await renderChart(
          'settings.STORAGE_BUCKET_NAME=photos',
          'settings.CDN_TAGS=true',
          'settings.COMPAT=imgproxy',
          'settings.PUBLIC_URL=https://media.example.com',
          'settings.OIDC_ISSUER=https://login.example.com',
          'settings.OIDC_CLIENT_ID=darkroom',
          'settings.STALE_IF_ERROR_MS=86400000',
          'settings.MAX_VIDEO_OUTPUT_MEGAPIXELS=8.3',
        )
      ).filter(({ kind }) => kind === 'Deployment');
      const { env } = deployment?.spec.template.spec.containers[0] ?? {};
      const environment = Object.fromEntries(
        env.map(({ name, value }: { name: string; value?: string }) => [name, value ?? SECRET_VALUES[name]]),
      );
      expect(environment).toMatchObject({ STALE_IF_ERROR_MS: '86400000', MAX_VIDEO_OUTPUT_MEGAPIXELS: '8.3' });
      expect(Object.keys(environment)).not.toContain('TRUSTED_PROXIES');
      expect(configure(environment).storage).toMatchObject({ bucket: 'photos' });
    });

    test('takes a setting from its values alone where it is among them', async () => {
      const manifests = await renderChart('settings.CDN_PURGE_URL=https://cdn.example.com/purge');
      const pod = manifests.find(({ kind }) => kind === 'Deployment')?.spec.template.spec;
      const named = pod.containers[0].env.filter(({ name }: { name: string }) => name === 'CDN_PURGE_URL');
      expect(named).toEqual([{ name: 'CDN_PURGE_URL', value: 'https://cdn.example.com/purge' }]);
    });

    test('lets a node finish before it is killed', async () => {
      const manifests = await renderChart('settings.DRAIN_DELAY_MS=7500', 'settings.SHUTDOWN_TIMEOUT_MS=30000');
      const pod = manifests.find(({ kind }) => kind === 'Deployment')?.spec.template.spec;
      expect(pod.terminationGracePeriodSeconds).toBe(48);
    });

    test('asks for life and readiness where the service tells them, and confines it as compose.yaml does', async () => {
      const manifests = await renderChart();
      const pod = manifests.find(({ kind }) => kind === 'Deployment')?.spec.template.spec;
      const [container] = pod.containers;
      expect([container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path]).toEqual([
        '/livez',
        '/readyz',
      ]);
      expect(container.securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(pod.volumes.map(({ emptyDir }: { emptyDir?: object }) => emptyDir !== undefined)).toEqual([true, true]);
    });

    test('scales and keeps nodes only as it is told', async () => {
      const kinds = (await renderChart()).map(({ kind }) => kind).toSorted();
      expect(kinds).toEqual(['Deployment', 'PodDisruptionBudget', 'Service']);
      const scaled = await renderChart('autoscaling.enabled=true');
      expect(scaled.map(({ kind }) => kind)).toContain('HorizontalPodAutoscaler');
      expect(scaled.find(({ kind }) => kind === 'Deployment')?.spec.replicas).toBeUndefined();
    });
  });
});
