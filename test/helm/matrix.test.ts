import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { schemaComplaints, typeCheck } from '../../scripts/chart/type-check.ts';
import { pageRoutes } from '../../src/views/page-routes.ts';
import { slowly } from '../support/slowness.ts';
import { chart, findHelm, runHelm, tellSkipped } from './helm-tool.ts';
import { type Manifest, type PodSpec, parseManifests, podsOf } from './manifest.ts';
import { restrictedViolations, sccViolations } from './pod-security.ts';
import { type ValueSet, valueSets } from './value-sets.ts';

const helm = await findHelm();
if (helm === undefined) tellSkipped('matrix.test.ts', 'helm');

const names = Object.keys(valueSets);

/** What the server offers to browsers and programs. Health and metrics stay inside. */
const publicPaths = [
  ...new Set(pageRoutes.filter((path) => path !== '/').map((path) => `/${path.split('/')[1]}`)),
  ...['/api', '/auth', '/docs', '/openapi.json', '/runbook', '/assets', '/icon.svg', '/licenses.md'],
];

async function render({ base, values = {}, args = [] }: ValueSet): Promise<readonly Manifest[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-values-'));
  try {
    const file = join(folder, 'values.yaml');
    await writeFile(file, stringify(values));
    const files = ['--values', join(chart, 'ci', `${base}-values.yaml`), '--values', file];
    const words = ['template', 'acme', chart, '--namespace', 'people', ...files, ...args];
    const { code, stdout, stderr } = await runHelm(helm ?? '', words);
    expect(`${stderr}${code}`).toBe('0');
    return parseManifests(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe.skipIf(helm === undefined)('the chart, installed in each of its ways', () => {
  const rendered = new Map<string, readonly Manifest[]>();
  const of = (name: string): readonly Manifest[] => rendered.get(name) ?? [];
  const objectOf = (name: string, kind: string, called?: string): Manifest => {
    const found = of(name).find(
      ({ metadata, ...one }) => one.kind === kind && (called ?? metadata.name) === metadata.name,
    );
    if (found === undefined) throw new Error(`${name} has no ${kind} ${called ?? ''}`);
    return found;
  };

  beforeAll(async () => {
    for (const [name, set] of Object.entries(valueSets)) rendered.set(name, await render(set));
  }, slowly(240_000));

  it('is tried in 30 ways or more', () => {
    expect(names.length).toBeGreaterThanOrEqual(30);
  });

  it('renders only objects that the types of their APIs accept', async () => {
    const all = names.flatMap(of);
    expect(all.length).toBeGreaterThan(8 * names.length);
    const { spec, ...rest } = objectOf('many pods, a fixed number', 'Deployment', 'acme-rollcall-worker');
    const wrong = [{ replcas: 3 }, { replicas: 'three' }].map((change) => ({ ...rest, spec: { ...spec, ...change } }));
    const complaints = await typeCheck([...all, ...wrong, { ...rest, spec: { replicas: 3 } }]);
    // A field that does not exist, a wrong type and a missing part are noticed, and nothing else.
    expect(complaints).toEqual([
      expect.stringMatching(/'"replcas"' does not exist/),
      expect.stringMatching(/'string' is not assignable to type 'number'/),
      expect.stringMatching(/missing the following properties.*selector/),
    ]);
  });

  it('renders only objects that the schemas of their APIs accept', async () => {
    expect(await schemaComplaints(names.flatMap(of))).toEqual([]);
    const { spec, ...rest } = objectOf('many pods, a fixed number', 'Deployment', 'acme-rollcall-worker');
    expect(await schemaComplaints([{ ...rest, spec: { ...spec, replicas: 'three' } }])).toHaveLength(1);
  });

  it.each(names)('has pods that Pod Security "restricted" accepts: %s', (name) => {
    const pods = podsOf(of(name));
    expect(pods.length).toBeGreaterThan(0);
    for (const { pod, name: podName } of pods) expect(restrictedViolations(pod), podName).toEqual([]);
  });

  it('would notice each thing that "restricted" forbids', () => {
    const [{ pod } = { pod: undefined }] = podsOf(of('one pod with SQLite'));
    if (pod === undefined) throw new Error('there is no pod');
    const [container] = pod.containers;
    const context = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
    const withContainer = (change: object) => ({ ...pod, containers: [{ ...container, ...change }] });
    const withContext = (change: object) => withContainer({ securityContext: { ...context, ...change } });
    const withPod = (change: object) => ({
      ...pod,
      securityContext: { ...(pod.securityContext as object), ...change },
    });
    expect(restrictedViolations(withContext({}))).toEqual([]);
    for (const wrong of [
      { ...pod, hostNetwork: true },
      { ...pod, hostPID: true },
      { ...pod, volumes: [...pod.volumes, { name: 'host', hostPath: { path: '/' } }] },
      { ...pod, initContainers: [{ name: 'open' }] },
      withPod({ runAsNonRoot: false }),
      withPod({ runAsUser: 0 }),
      withPod({ seccompProfile: undefined }),
      withPod({ seccompProfile: { type: 'Unconfined' } }),
      withPod({ sysctls: [{ name: 'kernel.msgmax', value: '1' }] }),
      withPod({ seLinuxOptions: { type: 'spc_t' } }),
      withPod({ appArmorProfile: { type: 'Unconfined' } }),
      withContext({ privileged: true }),
      withContext({ allowPrivilegeEscalation: undefined }),
      withContext({ capabilities: { drop: ['NET_RAW'] } }),
      withContext({ capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } }),
      withContext({ procMount: 'Unmasked' }),
      withContext({ runAsUser: 0 }),
      withContext({ runAsNonRoot: false }),
      withContainer({ ports: [{ containerPort: 8080, hostPort: 80 }] }),
      withContainer({ livenessProbe: { httpGet: { path: '/', port: 'http', host: '10.0.0.1' } } }),
    ]) {
      expect(restrictedViolations(wrong), JSON.stringify(wrong)).not.toEqual([]);
    }
  });

  it.each(names)('names each object once, and every pod finds what it names: %s', (name) => {
    const keys = of(name).map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
    expect(keys.filter((key, i) => keys.indexOf(key) < i)).toEqual([]);
    for (const { pod } of podsOf(of(name))) {
      const volumes = pod.volumes.map((volume) => volume.name);
      const mounts = [...(pod.initContainers ?? []), ...pod.containers].flatMap((one) => one.volumeMounts ?? []);
      expect(mounts.filter((mount) => !volumes.includes(mount.name))).toEqual([]);
    }
  });

  it('leaves ids to OpenShift where it is told so, or where the cluster has its API', () => {
    for (const name of ['OpenShift, said by the values', 'OpenShift, seen by its API']) {
      for (const { pod, name: podName } of podsOf(of(name))) expect(sccViolations(pod), podName).toEqual([]);
    }
    const [first] = podsOf(of('one pod with SQLite'));
    expect(sccViolations(first?.pod)).toEqual(['pod: runAsUser', 'pod: runAsGroup', 'pod: fsGroup']);
  });

  it('takes a null as "leave it out", so that ids of the cluster or of the values are used', () => {
    const [{ pod } = { pod: undefined }] = podsOf(of('ids that the cluster chooses'));
    expect(pod?.securityContext).toEqual({
      runAsNonRoot: true,
      fsGroup: 2000,
      supplementalGroups: [3000],
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    });
  });

  it('puts init containers into every pod, and other containers only into those that do not end', () => {
    const has = (name: string, kind: 'containers' | 'initContainers') =>
      podsOf(of(name)).flatMap(({ pod, name: podName }) =>
        (pod[kind] ?? []).some((one) => one.name !== 'rollcall') ? [podName.replace('acme-rollcall-', '')] : [],
      );
    const sidecars = 'a sidecar and an init container';
    expect(has(sidecars, 'containers').sort()).toEqual(['scheduler', 'server', 'worker']);
    expect(has(sidecars, 'initContainers').sort()).toEqual(['migrate', 'scheduler', 'server', 'test', 'worker']);
    expect(has('a database proxy beside every pod, the migration too', 'initContainers').sort()).toEqual([
      'roll',
      'roll-migrate',
      'roll-test',
    ]);
    const pods = podsOf(of(sidecars));
    expect(pods.flatMap(({ pod }) => pod.containers.flatMap(({ args }) => args))).toContain('--release=acme');
  });

  it('changes the timings of the probes and not what they ask', () => {
    const [container] = podsOf(of('slow probes'))[0]?.pod.containers ?? [];
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: '/startupz' }, failureThreshold: 900, initialDelaySeconds: 5, periodSeconds: 2 },
      livenessProbe: { httpGet: { path: '/healthz' }, periodSeconds: 60, terminationGracePeriodSeconds: 30 },
      readinessProbe: { httpGet: { path: '/readyz' }, successThreshold: 2, timeoutSeconds: 5 },
    });
  });

  it('lets Prometheus be told more, from another namespace too', () => {
    const name = 'Prometheus with relabeling, in its own namespace';
    const monitor = objectOf(name, 'ServiceMonitor');
    expect(monitor.metadata).toMatchObject({ namespace: 'monitoring', annotations: { owner: 'hr' } });
    expect(monitor.spec).toMatchObject({
      namespaceSelector: { matchNames: ['people'] },
      endpoints: [
        {
          interval: '1m',
          scrapeTimeout: '20s',
          relabelings: [{ targetLabel: 'node' }],
          metricRelabelings: [{ action: 'drop' }],
        },
      ],
    });
    expect(JSON.stringify(objectOf(name, 'PrometheusRule').spec)).toContain('rollcall_info{namespace=\\"people\\"}');
    expect(objectOf(name, 'ConfigMap', 'acme-rollcall-dashboard').metadata).toMatchObject({
      labels: { grafana: 'hr' },
      annotations: { grafana_folder: 'HR' },
    });
  });

  it('serves several hosts, each with its certificate', () => {
    const { tls, rules } = objectOf('several hosts', 'Ingress').spec as {
      tls: unknown;
      rules: { host: string; http: { paths: { path: string; pathType: string }[] } }[];
    };
    expect(tls).toEqual([
      { secretName: 'acme-tls', hosts: ['acme.example.org'] },
      { secretName: 'one', hosts: ['rollcall.example.com', 'people.example.com'] },
    ]);
    expect(rules.map(({ host }) => host)).toEqual([
      'rollcall.example.com',
      'people.example.com',
      'acme.example.org',
      'plain.example.net',
    ]);
    for (const { http } of rules) {
      expect(http.paths.map(({ path, pathType }) => `${pathType} ${path}`).sort()).toEqual(
        ['Exact /', ...publicPaths.map((path) => `Prefix ${path}`)].sort(),
      );
    }
  });

  it('opens the same paths through a Gateway, to the Service and port that there are', () => {
    const name = 'a route of the Gateway API';
    const { hostnames, rules } = objectOf(name, 'HTTPRoute').spec as {
      hostnames: string[];
      rules: { matches: { path: { type: string; value: string } }[]; backendRefs: { name: string; port: number }[] }[];
    };
    expect(hostnames).toEqual(['rollcall.example.com', 'acme.example.org']);
    expect(rules[0]?.matches.map(({ path }) => `${path.type} ${path.value}`).sort()).toEqual(
      ['Exact /', ...publicPaths.map((path) => `PathPrefix ${path}`)].sort(),
    );
    const service = objectOf(name, 'Service', rules[0]?.backendRefs[0]?.name);
    expect(service.spec?.ports).toMatchObject([{ port: rules[0]?.backendRefs[0]?.port }]);
    expect(of(name).map(({ kind }) => kind)).not.toContain('Ingress');
  });

  it('gives one role its own nodes, and the others those of all', () => {
    const selectors = podsOf(of('scheduling of one role')).map(({ pod, name }) => [name, pod.nodeSelector?.pool]);
    expect(Object.fromEntries(selectors)).toEqual({
      'acme-rollcall-migrate': 'batch',
      'acme-rollcall-scheduler': 'batch',
      'acme-rollcall-server': 'batch',
      'acme-rollcall-test': 'batch',
      'acme-rollcall-worker': 'large',
    });
  });

  it('gives one role its own environment, annotations, labels and priority, over those of all', () => {
    const pods = podsOf(of('pods of one role unlike the others'));
    const envOf = (pod: PodSpec) =>
      (pod.containers[0]?.env ?? []).flatMap(({ name, value }) =>
        /^(LEVEL|HEAP|KEY)$/.test(name) ? [`${name}=${value}`] : [],
      );
    const seen = pods.map(({ pod, name, labels, annotations }) => [
      name.replace('acme-rollcall-', ''),
      [...envOf(pod), labels.tier, annotations.note, pod.priorityClassName],
    ]);
    const usual = ['KEY=undefined', 'LEVEL=all', 'batch', 'all', 'low'];
    expect(Object.fromEntries(seen)).toEqual({
      migrate: usual,
      scheduler: usual,
      server: usual,
      test: ['KEY=undefined', 'LEVEL=all', undefined, undefined, 'low'],
      worker: ['LEVEL=worker', 'HEAP=acme', 'KEY=own', 'large', 'worker', 'high'],
    });
  });

  it('labels and annotates every object, and keeps the labels that selectors need', () => {
    const name = 'labels and annotations everywhere';
    for (const { metadata, kind } of of(name)) {
      expect(metadata.labels, kind).toMatchObject({ team: 'hr', 'app.kubernetes.io/name': 'rollcall' });
      expect(metadata.annotations, kind).toMatchObject({ 'example.com/release': 'acme' });
    }
    const worker = objectOf(name, 'Deployment', 'acme-rollcall-worker');
    expect(worker.metadata.annotations).toMatchObject({ 'reloader.stakater.com/auto': 'true' });
    for (const { labels } of podsOf(of(name))) expect(labels).toMatchObject({ 'app.kubernetes.io/name': 'rollcall' });
  });

  it('reads the pull secrets of a parent chart beside its own', () => {
    const [first] = podsOf(of('a parent chart with global values'));
    expect(first?.pod.imagePullSecrets).toEqual([{ name: 'own' }, { name: 'shared' }]);
  });

  it('adds the objects of the values, their templates filled', () => {
    const maps = of('objects of others').filter(({ kind }) => kind === 'ConfigMap');
    expect(maps.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['acme-one', 'acme-rollcall-two']),
    );
  });

  it('is a part of another chart, which can leave it out', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-parent-'));
    try {
      const dependency = {
        name: 'rollcall',
        version: '*',
        repository: `file://${chart}`,
        condition: 'rollcall.enabled',
      };
      const parent = { apiVersion: 'v2', name: 'company', version: '1.0.0', dependencies: [dependency] };
      const values = {
        rollcall: {
          config: { connections: { acme: { baseUrl: 'https://platform.example.com', accessToken: `\${env:T}` } } },
          secretEnv: { T: { secret: 'acme', key: 'token' } },
        },
      };
      await writeFile(join(folder, 'Chart.yaml'), stringify(parent));
      await writeFile(join(folder, 'values.yaml'), stringify(values));
      expect((await runHelm(helm ?? '', ['dependency', 'update', folder])).code).toBe(0);
      const on = await runHelm(helm ?? '', ['template', 'acme', folder]);
      const off = await runHelm(helm ?? '', ['template', 'acme', folder, '--set', 'rollcall.enabled=false']);
      expect(`${on.stderr}${off.stderr}`).toBe('');
      expect(parseManifests(on.stdout).map(({ kind }) => kind)).toContain('Deployment');
      expect(parseManifests(off.stdout)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
