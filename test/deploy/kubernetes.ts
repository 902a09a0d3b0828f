import { z } from 'zod';

/** Schemas of Kubernetes objects, limited to the fields in use: a misspelled or misplaced field is an error. */

const quantity = z.string().regex(/^\d+(\.\d+)?(m|Mi|Gi)?$/);
const labels = z.record(z.string().regex(/^[a-z0-9./-]+$/), z.string().regex(/^[a-z0-9.-]+$/));
const metadata = z.strictObject({ name: z.string(), labels });
const portName = z.string().regex(/^[a-z][a-z0-9-]{0,14}$/);

const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/'), port: portName }),
  periodSeconds: z.int().positive(),
  timeoutSeconds: z.int().positive().optional(),
  failureThreshold: z.int().positive().optional(),
});

const container = z.strictObject({
  name: z.string(),
  image: z.string().regex(/^[a-z0-9./-]+:[a-z0-9.-]+$/),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })),
  ports: z.array(z.strictObject({ name: portName, containerPort: z.int() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  resources: z.strictObject({
    requests: z.strictObject({ cpu: quantity, memory: quantity }),
    limits: z.strictObject({ memory: quantity }),
  }),
  securityContext: z.strictObject({
    readOnlyRootFilesystem: z.boolean(),
    allowPrivilegeEscalation: z.boolean(),
    capabilities: z.strictObject({ drop: z.array(z.string()) }),
  }),
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string().startsWith('/') })),
});

const volume = z.union([
  z.strictObject({ name: z.string(), persistentVolumeClaim: z.strictObject({ claimName: z.string() }) }),
  z.strictObject({
    name: z.string(),
    emptyDir: z.strictObject({ medium: z.literal('Memory'), sizeLimit: quantity }),
  }),
]);

const pod = z.strictObject({
  terminationGracePeriodSeconds: z.int(),
  automountServiceAccountToken: z.boolean(),
  enableServiceLinks: z.boolean(),
  securityContext: z.strictObject({
    runAsNonRoot: z.boolean(),
    runAsUser: z.int(),
    runAsGroup: z.int(),
    fsGroup: z.int(),
    fsGroupChangePolicy: z.enum(['OnRootMismatch', 'Always']),
    seccompProfile: z.strictObject({ type: z.enum(['RuntimeDefault', 'Unconfined', 'Localhost']) }),
  }),
  containers: z.array(container),
  volumes: z.array(volume),
});

/** Schemas by `kind`. */
export const KINDS: Readonly<Record<string, z.ZodType>> = {
  PersistentVolumeClaim: z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.string(),
    metadata,
    spec: z.strictObject({
      accessModes: z.array(z.enum(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'])),
      resources: z.strictObject({ requests: z.strictObject({ storage: quantity }) }),
    }),
  }),
  Service: z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.string(),
    metadata,
    spec: z.strictObject({
      selector: labels,
      ports: z.array(z.strictObject({ name: portName, port: z.int(), targetPort: portName })),
    }),
  }),
  Deployment: z.strictObject({
    apiVersion: z.literal('apps/v1'),
    kind: z.string(),
    metadata,
    spec: z.strictObject({
      replicas: z.int(),
      strategy: z.strictObject({ type: z.enum(['Recreate', 'RollingUpdate']) }),
      selector: z.strictObject({ matchLabels: labels }),
      template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
    }),
  }),
};
