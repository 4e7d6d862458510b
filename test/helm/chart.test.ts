import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { createExpressions } from '../../src/config/expressions.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { listedCodes } from '../../src/core/run/codes/code-list.ts';
import type { AlertCode } from '../../src/core/run/codes/code-names.ts';
import { knownKinds } from '../../src/sources/kinds.ts';
import { openStore } from '../../src/store/index.ts';
import { podCommands } from '../../src/watch/alerts/pod-commands.ts';
import { chart, findHelm, type HelmAnswer, runHelm, tellSkipped } from './helm-tool.ts';
import { type Manifest, type PodSpec, parseManifests, podsOf } from './manifest.ts';

const found = await findHelm();
const helm = found ?? '';
if (found === undefined) tellSkipped('chart.test.ts', 'helm');

const variants = readdirSync(join(chart, 'ci')).map((file) => basename(file, '-values.yaml'));
const valuesOf = (variant: string) => ['--values', join(chart, 'ci', `${variant}-values.yaml`)];

const render = (variant: string, ...more: string[]) =>
  runHelm(helm, ['template', 'acme', chart, '--namespace', 'people', ...valuesOf(variant), ...more]);

const rendered = new Map<string, Promise<readonly Manifest[]>>();

/** Renders once for each set of values, however many tests look at it. */
function objectsOf(variant: string, ...more: string[]): Promise<readonly Manifest[]> {
  const key = JSON.stringify([variant, ...more]);
  const known = rendered.get(key);
  if (known !== undefined) return known;
  const made = render(variant, ...more).then(({ code, stdout, stderr }) => {
    expect(`${stderr}${code}`).toBe('0');
    return parseManifests(stdout);
  });
  rendered.set(key, made);
  return made;
}

const named = (objects: readonly Manifest[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
const one = (objects: readonly Manifest[], kind: string, name?: string): Manifest => {
  const [first] = objects.filter(
    (object) => object.kind === kind && (name ?? object.metadata.name) === object.metadata.name,
  );
  if (first === undefined) throw new Error(`no ${kind} ${name ?? ''} among ${named(objects).join(', ')}`);
  return first;
};

/** Whether an object is for the job before the pods. */
const isForBefore = (name: string) => /-(migrate|check)$/.test(name);

/** The rollcall.yaml that a pod mounts, out of the ConfigMaps that are there. */
function configOf({ volumes }: PodSpec, objects: readonly Manifest[]): string {
  const from = volumes.find(({ name }) => name === 'config')?.configMap?.name;
  return one(objects, 'ConfigMap', from ?? 'none').data?.['rollcall.yaml'] ?? '';
}

describe.skipIf(found === undefined)('the chart', () => {
  const plain = new Map<string, readonly Manifest[]>();
  beforeAll(async () => {
    for (const variant of variants) plain.set(variant, await objectsOf(variant));
  });
  const all = (variant: string) => plain.get(variant) ?? [];

  it.each(variants)('passes helm lint --strict with the values of %s', async (variant) => {
    const { code, stdout } = await runHelm(helm, ['lint', '--strict', chart, ...valuesOf(variant)]);
    expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
    expect(code).toBe(0);
  });

  it('makes what a mode needs and nothing else', () => {
    expect(named(all('single-sqlite'))).toEqual([
      'ConfigMap acme-rollcall',
      'ConfigMap acme-rollcall-check',
      'Deployment acme-rollcall',
      'Job acme-rollcall-check',
      'NetworkPolicy acme-rollcall',
      'NetworkPolicy acme-rollcall-check',
      'PersistentVolumeClaim acme-rollcall',
      'Pod acme-rollcall-test',
      'Service acme-rollcall',
      'ServiceAccount acme-rollcall',
      'ServiceAccount acme-rollcall-check',
    ]);
    expect(named(all('single-silent')).filter((name) => name.startsWith('Service '))).toEqual([]);
    expect(named(all('single-postgres'))).toEqual([
      'ConfigMap roll',
      'ConfigMap roll-migrate',
      'Deployment roll',
      'Job roll-migrate',
      'NetworkPolicy roll',
      'NetworkPolicy roll-migrate',
      'Pod roll-test',
      'Service roll',
      'ServiceAccount roll',
      'ServiceAccount roll-migrate',
    ]);
    expect(named(all('existing-configmap'))).toEqual([
      'Deployment acme-rollcall',
      'Job acme-rollcall-check',
      'NetworkPolicy acme-rollcall',
      'NetworkPolicy acme-rollcall-check',
      'Pod acme-rollcall-test',
      'Service acme-rollcall',
    ]);
    expect(named(all('distributed'))).toEqual([
      'ConfigMap acme-rollcall',
      'ConfigMap acme-rollcall-dashboard',
      'ConfigMap acme-rollcall-migrate',
      'Deployment acme-rollcall-scheduler',
      'Deployment acme-rollcall-server',
      'Deployment acme-rollcall-worker',
      'HorizontalPodAutoscaler acme-rollcall-worker',
      'Ingress acme-rollcall',
      'Job acme-rollcall-migrate',
      'NetworkPolicy acme-rollcall',
      'NetworkPolicy acme-rollcall-migrate',
      'Pod acme-rollcall-test',
      'PodDisruptionBudget acme-rollcall-scheduler',
      'PodDisruptionBudget acme-rollcall-server',
      'PodDisruptionBudget acme-rollcall-worker',
      'PrometheusRule acme-rollcall',
      'Service acme-rollcall',
      'Service acme-rollcall-metrics',
      'ServiceAccount acme-rollcall',
      'ServiceAccount acme-rollcall-migrate',
      'ServiceMonitor acme-rollcall',
    ]);
    expect(named(all('distributed-keda'))).toContain('ScaledObject acme-rollcall-worker');
    expect(named(all('distributed-keda'))).not.toContain('HorizontalPodAutoscaler acme-rollcall-worker');
  });

  it('runs one process for each store in mode single: the old pod ends before the new one begins', () => {
    for (const variant of ['single-sqlite', 'single-postgres']) {
      expect(one(all(variant), 'Deployment').spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    }
  });

  it('lets every node be drained: one pod of a kind may go, and one that is ill always', () => {
    const budgets = all('distributed').filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets).toHaveLength(3);
    for (const { spec } of budgets) {
      expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    }
    // One replica is allowed to go as well: a budget for it would stop every drain.
    expect(named(all('single-sqlite')).filter((name) => name.startsWith('PodDisruptionBudget'))).toEqual([]);
  });

  it('leaves the number of workers to what scales them', () => {
    for (const variant of ['distributed', 'distributed-keda']) {
      expect(one(all(variant), 'Deployment', 'acme-rollcall-worker').spec).not.toHaveProperty('replicas');
    }
  });

  it('gives no pod a token of the cluster or a root that it may write to, and each what it may use', () => {
    for (const { pod, name } of variants.flatMap((variant) => podsOf(all(variant)))) {
      expect(pod.automountServiceAccountToken, name).toBe(false);
      for (const { securityContext, resources } of pod.containers) {
        expect(securityContext, name).toMatchObject({ readOnlyRootFilesystem: true });
        expect(resources, name).toMatchObject({ requests: { cpu: expect.any(String) }, limits: {} });
      }
    }
  });

  it('has selectors that find exactly the pods they mean', () => {
    for (const variant of variants) {
      const pods = podsOf(all(variant));
      const picks = (labels: Readonly<Record<string, string>>) =>
        pods
          .filter((pod) => Object.entries(labels).every(([key, value]) => pod.labels[key] === value))
          .map((pod) => pod.name);
      for (const { kind, metadata, spec } of all(variant)) {
        const { selector, podSelector } = (spec ?? {}) as Record<
          string,
          { matchLabels: Record<string, string> } | undefined
        >;
        if (kind === 'Deployment' || kind === 'PodDisruptionBudget') {
          expect(picks(selector?.matchLabels ?? {})).toEqual([metadata.name]);
        }
        if (kind === 'NetworkPolicy') {
          const all = pods.map(({ name }) => name);
          const meant = isForBefore(metadata.name) ? [metadata.name] : all;
          expect(picks(podSelector?.matchLabels ?? {})).toEqual(meant);
        }
      }
    }
  });

  it('asks a pod for its health exactly where it listens', () => {
    for (const variant of variants) {
      for (const { pod, name } of podsOf(all(variant))) {
        if (isForBefore(name) || name.endsWith('-test')) continue;
        const [container] = pod.containers;
        const isSilent = variant === 'single-silent';
        expect(container?.ports, name).toEqual(
          isSilent
            ? undefined
            : [
                { name: 'http', containerPort: 8080, protocol: 'TCP' },
                { name: 'metrics', containerPort: 9464, protocol: 'TCP' },
              ],
        );
        const asked = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe].map(
          (probe) => probe?.httpGet,
        );
        const paths = ['/startupz', '/healthz', '/readyz'];
        expect(asked, name).toEqual(paths.map((path) => (isSilent ? undefined : { path, port: 'http' })));
      }
    }
  });

  it('sends API and pages to the pods that have them, and Prometheus to all', () => {
    const labelsOf = (name: string) =>
      one(all('distributed'), 'Service', name).spec?.selector as Record<string, string>;
    const picks = (labels: Record<string, string>) =>
      podsOf(all('distributed'))
        .filter((pod) => Object.entries(labels).every(([key, value]) => pod.labels[key] === value))
        .map(({ name }) => name);
    expect(picks(labelsOf('acme-rollcall'))).toEqual(['acme-rollcall-server']);
    expect(picks(labelsOf('acme-rollcall-metrics'))).toEqual(
      expect.arrayContaining(['acme-rollcall-scheduler', 'acme-rollcall-server', 'acme-rollcall-worker']),
    );
  });

  it('starts every role with a command line that the program has', () => {
    const argsOf = (variant: string) => podsOf(all(variant)).map(({ pod }) => pod.containers[0]?.args.join(' '));
    expect(argsOf('single-sqlite').sort()).toEqual(['check', 'check --offline', 'start --role all']);
    expect(argsOf('distributed').sort()).toEqual([
      'admin migrate',
      'check',
      'start --role scheduler',
      'start --role server',
      'start --role worker',
    ]);
  });

  it.each(variants.filter((variant) => variant !== 'existing-configmap'))(
    'writes a rollcall.yaml that the program takes, with the environment that its pods have: %s',
    async (variant) => {
      for (const { pod } of podsOf(all(variant))) {
        const text = configOf(pod, all(variant));
        const names = pod.containers.flatMap(({ env }) => env.map(({ name }) => name));
        const env = Object.fromEntries(
          names.map((name) => [
            name,
            name.endsWith('_URL') ? 'https://hooks.example.com/x' : Buffer.alloc(32, name).toString('base64'),
          ]),
        );
        const config = await loadConfig('/data/rollcall.yaml', {
          env,
          sourceKinds: knownKinds,
          expressions: createExpressions(),
          readFile: async (path) => {
            if (path === '/data/rollcall.yaml') return text;
            if (path === '/data/secrets/acme-refresh') return 'first-refresh-token';
            throw Object.assign(new Error(`no such file ${path}`), { code: 'ENOENT' });
          },
        });
        expect(Object.keys(config.syncs)).toEqual(['people']);
        expect(config.folder).toBe('/data');
      }
    },
  );

  const isBefore = ({ metadata }: Manifest) => metadata.annotations?.['helm.sh/hook'] === 'pre-install,pre-upgrade';

  it('checks the configuration, and migrates a PostgreSQL store, before anything of the release is there, with what the pods will have', () => {
    for (const variant of ['single-sqlite', 'single-silent', 'single-postgres', 'distributed', 'distributed-keda']) {
      const before = all(variant).filter(isBefore);
      const pods = podsOf(all(variant));
      const [migration] = podsOf(before);
      const other = pods.find(({ name }) => name !== migration?.name && !name.endsWith('-test'));
      const [container, like] = [migration?.pod.containers[0], other?.pod.containers[0]];
      const { name, env, volumeMounts } = container ?? {};
      expect({ name, env, volumeMounts }).toEqual({
        name: like?.name,
        env: like?.env,
        volumeMounts: like?.volumeMounts,
      });
      if (migration === undefined || other === undefined) throw new Error(`${variant} has no migration`);
      expect(configOf(migration.pod, before)).toBe(configOf(other.pod, all(variant)));
      expect(before.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toContain(
        `ServiceAccount ${migration.pod.serviceAccountName}`,
      );
      const weight = ({ metadata }: Manifest) => Number(metadata.annotations?.['helm.sh/hook-weight']);
      for (const each of before) {
        expect(each.metadata.annotations?.['helm.sh/hook-delete-policy']).toBe('before-hook-creation,hook-succeeded');
        if (each.kind !== 'Job') expect(weight(each)).toBeLessThan(weight(one(before, 'Job')));
      }
    }
  });

  it('lets the migration go where the pods may go, also before their network policy is there', () => {
    const policies = all('single-postgres').filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies.map(({ spec }) => spec?.egress)).toEqual([policies[0]?.spec?.egress, policies[0]?.spec?.egress]);
    expect(policies.filter(isBefore)).toHaveLength(1);
  });

  const secretUrl = ['--set-string', `config.store=\${env:DATABASE_URL}`];
  const urlSecret = ['--set', 'secretEnv.DATABASE_URL.secret=db', '--set', 'secretEnv.DATABASE_URL.key=url'];

  describe('has a network policy by default, which', () => {
    interface Policy {
      readonly ingress: readonly { readonly from?: unknown; readonly ports: readonly { readonly port: unknown }[] }[];
      readonly egress: readonly { readonly to?: unknown; readonly ports: readonly { readonly port: number }[] }[];
    }
    const policyOf = async (variant: string, ...more: string[]): Promise<Policy> =>
      one(await objectsOf(variant, ...more), 'NetworkPolicy').spec as unknown as Policy;
    const openTo = async (variant: string, ...more: string[]) => {
      const { egress } = await policyOf(variant, ...more);
      expect(egress.map(({ to }) => to)).toEqual([undefined]);
      return (egress[0]?.ports ?? []).map(({ port }) => port);
    };

    it('opens DNS, HTTPS, and the ports of the store and Redis', async () => {
      expect(await openTo('single-sqlite')).toEqual([53, 53, 5353, 5353, 443]);
      expect((await openTo('distributed')).slice(4).sort()).toEqual([443, 5432, 6380]);
      const sentinels = ['config.redis.url=null', 'config.redis.sentinels[0]=one.example.com:26379'];
      expect(await openTo('distributed', ...sentinels.flatMap((value) => ['--set', value]))).toEqual(
        expect.arrayContaining([26379, 6379]),
      );
    });

    it('opens the port of every other address in the configuration, whatever its credentials are', async () => {
      const sets = [
        'config.connections.acme.baseUrl=https://platform.example.com:8443/os',
        `config.connections.acme.proxy=http://ana:\${file:secrets/proxy}@proxy.example.com:3128`,
        'config.syncs.people.source.sftp.host=files.example.com',
        'config.syncs.people.source.sftp.user=rollcall',
        'config.syncs.people.source.sftp.path=/out/employees.csv',
        `config.syncs.people.source.sftp.hostKey=SHA256:${'a'.repeat(43)}`,
        'config.alerts[0].kind=email',
        'config.alerts[0].url=smtps://mail.example.com',
        `config.store=postgres://a:\${file:secrets/p}@one:6000\\,two/rollcall`,
      ].flatMap((value) => ['--set', value]);
      const ports = await openTo('single-sqlite', ...sets);
      expect(ports.slice(4).sort((a, b) => a - b)).toEqual([22, 443, 465, 3128, 5432, 6000, 8443]);
    });

    it('opens the ports of PostgreSQL and Redis where their addresses are in a Secret or a ConfigMap of others', async () => {
      const hidden = ['--set-string', `config.redis=\${env:DATABASE_URL}`, ...secretUrl, ...urlSecret];
      expect(await openTo('distributed', ...hidden)).toEqual(expect.arrayContaining([5432, 6379]));
      expect(await openTo('existing-configmap', '--set', 'mode=distributed')).toEqual(
        expect.arrayContaining([5432, 6379]),
      );
    });

    it('accepts connections on the ports of API and metrics only: of all, or of the peers that are listed', async () => {
      const ports = ['http', 'metrics'].map((port) => [{ port, protocol: 'TCP' }]);
      expect((await policyOf('single-sqlite')).ingress).toEqual(ports.map((port) => ({ ports: port })));
      const from = [{ namespaceSelector: expect.anything() }, { namespaceSelector: expect.anything() }];
      expect((await policyOf('distributed')).ingress).toEqual(ports.map((port) => ({ ports: port, from })));
      const peers = [{ podSelector: {} }];
      const narrow = await policyOf(
        'distributed',
        '--set-json',
        `networkPolicy.metricsIngress=${JSON.stringify(peers)}`,
      );
      expect(narrow.ingress).toMatchObject([{ from }, { from: peers }]);
      expect((await policyOf('single-silent')).ingress).toEqual([]);
    });

    it('opens the port of the collector, and tells each pod where it is and who it is itself', async () => {
      const endpoint = 'http://otel-collector.{{ .Release.Namespace }}:4319';
      const set = ['--set-string', `telemetry.endpoint=${endpoint}`];
      expect(await openTo('distributed')).not.toContain(4319);
      expect(await openTo('distributed', ...set)).toContain(4319);
      const envOf = async (...more: string[]) =>
        podsOf(await objectsOf('distributed', ...more)).map(({ pod }) =>
          (pod.containers[0]?.env ?? []).filter(({ name }) => name.startsWith('OTEL_')),
        );
      const own = 'service.instance.id=$(POD_NAME),k8s.pod.name=$(POD_NAME),k8s.namespace.name=people';
      for (const env of await envOf(...set)) {
        expect(env).toEqual([
          { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://otel-collector.people:4319' },
          { name: 'OTEL_RESOURCE_ATTRIBUTES', value: own },
        ]);
      }
      expect((await envOf()).flat()).toEqual([]);
    });

    it('opens nothing by itself with openPorts: false, and is not made with enabled: false', async () => {
      const ports = (await policyOf('single-postgres')).egress.flatMap((rule) => rule.ports.map(({ port }) => port));
      expect(ports).toEqual([53, 53, 443, 5432, 587]);
      const off = named(await objectsOf('distributed', '--set', 'networkPolicy.enabled=false'));
      expect(off.filter((name) => name.startsWith('NetworkPolicy'))).toEqual([]);
    });
  });

  it('gives every pod the proxies and the authorities of the values, and opens the port of the proxy', async () => {
    const sets = [
      'proxy.http=http://p.example.com:3128',
      'proxy.https=http://p.example.com:3129',
      'ca.configMap=trust',
    ];
    const noProxy = ['--set', 'proxy.noProxy=.svc\\,10.0.0.0/8'];
    const objects = await objectsOf('distributed', ...sets.flatMap((value) => ['--set', value]), ...noProxy);
    for (const { pod, name } of podsOf(objects)) {
      const [container] = pod.containers;
      expect(container?.env, name).toEqual(
        expect.arrayContaining([
          { name: 'HTTP_PROXY', value: 'http://p.example.com:3128' },
          { name: 'HTTPS_PROXY', value: 'http://p.example.com:3129' },
          { name: 'NO_PROXY', value: '.svc,10.0.0.0/8' },
          { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/rollcall/ca.pem' },
        ]),
      );
      expect(container?.volumeMounts, name).toContainEqual({ name: 'ca', mountPath: '/etc/rollcall', readOnly: true });
      const items = [{ key: 'ca.crt', path: 'ca.pem' }];
      expect(pod.volumes, name).toContainEqual({ name: 'ca', configMap: { name: 'trust', items } });
    }
    const { egress } = one(objects, 'NetworkPolicy').spec as { egress: [{ ports: { port: number }[] }] };
    expect(egress[0].ports.map(({ port }) => port)).toEqual(expect.arrayContaining([3128, 3129]));
    const without = podsOf(all('distributed')).flatMap(({ pod }) => pod.containers.flatMap(({ env }) => env));
    expect(without.filter(({ name }) => /PROXY|NODE_EXTRA/.test(name))).toEqual([]);
  });

  it('checks without the volume of the store, which one pod at a time may open', () => {
    for (const variant of ['single-sqlite', 'existing-configmap']) {
      const [check] = podsOf(all(variant).filter(isBefore));
      expect(check?.pod.containers[0]?.args).toEqual(['check', '--offline']);
      const state = check?.pod.volumes.find(({ name }) => name === 'state');
      expect(state).toEqual({ name: 'state', emptyDir: expect.anything() });
    }
  });

  it('has no job before the pods when it is turned off; and it takes what is there already as it is', async () => {
    for (const variant of ['single-sqlite', 'distributed'])
      expect((await objectsOf(variant, '--set', 'migrations.job=false')).filter(isBefore)).toEqual([]);
    const there = await objectsOf('existing-configmap', '--set', 'config.store=postgres://db/rollcall');
    const [migration] = podsOf(there.filter(isBefore));
    expect(there.filter(isBefore).map(({ kind }) => kind)).toEqual(['NetworkPolicy', 'Job']);
    expect(migration?.pod.serviceAccountName).toBe('batch');
    expect(migration?.pod.volumes).toContainEqual({ name: 'config', configMap: { name: 'my-rollcall' } });
  });

  it('fills templates in the configuration', () => {
    expect(one(all('single-postgres'), 'ConfigMap', 'roll').data?.['rollcall.yaml']).toContain(
      '@db.people.svc:5432/rollcall',
    );
  });

  it('starts pods anew when the configuration changes, and only then', async () => {
    const sum = async (...more: string[]) => {
      const [first] = podsOf(await objectsOf('single-sqlite', ...more));
      const { spec } = one(await objectsOf('single-sqlite', ...more), 'Deployment');
      const { template } = spec as { template: Manifest };
      return [first?.name, template.metadata.annotations?.['checksum/config']];
    };
    const before = await sum();
    expect(before[1]).toMatch(/^[0-9a-f]{64}$/);
    expect(await sum('--set', 'commonLabels.team=people')).toEqual(before);
    expect(await sum('--set', 'config.log.level=debug')).not.toEqual(before);
  });

  it('keeps names and labels within 63 letters, however long the release is called', async () => {
    const release = `r${'x'.repeat(52)}`;
    const { stdout } = await runHelm(helm, ['template', release, chart, ...valuesOf('distributed')]);
    const objects = parseManifests(stdout);
    expect(objects.length).toBeGreaterThan(5);
    for (const { metadata } of objects) {
      expect(metadata.name.length).toBeLessThanOrEqual(63);
      for (const label of Object.values(metadata.labels ?? {})) expect(label.length).toBeLessThanOrEqual(63);
    }
  });

  it('asks for the runs under way in words that the store understands', async () => {
    const { triggers } = one(all('distributed-keda'), 'ScaledObject').spec as {
      triggers: [{ metadata: { query: string } }];
    };
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-chart-'));
    try {
      const store = await openStore('sqlite:./store.db', { folder });
      await store.close();
      const database = new Database(join(folder, 'store.db'), { readonly: true });
      expect(database.prepare(triggers[0].metadata.query).raw().get()).toEqual([0]);
      database.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  const notes = new Map<string, Promise<HelmAnswer>>();

  /** What `helm install` says at its end. Asked once for each set of values. */
  async function notesOf(variant: string, ...more: string[]): Promise<string> {
    const words = [
      'install',
      'acme',
      chart,
      '--namespace',
      'people',
      '--dry-run=client',
      ...valuesOf(variant),
      ...more,
    ];
    const key = words.join('\n');
    const asked = notes.get(key) ?? runHelm(helm, words);
    notes.set(key, asked);
    const { code, stdout, stderr } = await asked;
    expect(`${stderr}${code}`).toBe('0');
    return stdout.slice(stdout.indexOf('NOTES:'));
  }

  it('keeps the pod of "helm test" until the next one, because its log is read after it has ended', () => {
    for (const variant of variants) {
      const annotations = one(all(variant), 'Pod').metadata.annotations;
      expect(annotations?.['helm.sh/hook-delete-policy'], variant).toBe('before-hook-creation');
    }
  });

  it('has no test pod for a volume that one pod alone may have, and tells of the command instead', async () => {
    const alone = ['--set', 'persistence.accessMode=ReadWriteOncePod'];
    expect(named(await objectsOf('single-sqlite', ...alone))).not.toContain('Pod acme-rollcall-test');
    const notes = await notesOf('single-sqlite', ...alone);
    expect(notes).toContain('deploy/acme-rollcall -- rollcall check');
    expect(notes).not.toContain('helm test');
    expect(named(await objectsOf('single-postgres', ...alone))).toContain('Pod roll-test');
  });

  it('takes an address of the store that is whole in a Secret: PostgreSQL for many pods, unknown for one', async () => {
    expect(named(await objectsOf('distributed', ...secretUrl, ...urlSecret))).toContain('Job acme-rollcall-migrate');
    // Who is not sure keeps a volume: a store that is forgotten with its pod would be worse.
    const hidden = named(await objectsOf('single-sqlite', ...secretUrl, ...urlSecret));
    expect(hidden).toContain('PersistentVolumeClaim acme-rollcall');
    expect(hidden.filter((name) => name.startsWith('Job '))).toEqual(['Job acme-rollcall-check']);
    expect(await notesOf('single-sqlite', ...secretUrl, ...urlSecret)).toContain(
      'cannot read the address of the store',
    );
  });

  it('says what it cannot see in a ConfigMap of others, and believes what it is told of the store', async () => {
    expect(await notesOf('existing-configmap')).toMatch(
      /cannot read the address of the store.*claim my-claim.*postgres:/s,
    );
    const told = await notesOf('existing-configmap', '--set', 'config.store=postgres://db.example.com/rollcall');
    expect(told).not.toContain('cannot see');
    expect(told).toContain('A job migrated the store');
  });

  it('tells where page and API are, and that no notice is sent', async () => {
    expect(await notesOf('distributed')).toContain('Page and API: https://rollcall.example.com\n');
    const alone = await notesOf('single-sqlite');
    expect(alone).toContain('kubectl port-forward --namespace people service/acme-rollcall 8080:80');
    expect(alone).toContain('add one to config.server.tokens');
    expect(alone).toContain('No notice is sent when a run fails');
    expect(await notesOf('single-silent')).not.toContain('Page and API');
    expect(await notesOf('single-postgres')).toContain(
      'Every address reaches the API port: networkPolicy.ingress is empty',
    );
    expect(await notesOf('distributed')).toContain('these TCP ports to every address: 443, 6380, 5432.');
  });

  it('names a pod that is there where KEDA may leave no worker, and how to get one', async () => {
    expect(await notesOf('distributed-keda')).toContain('deploy/acme-rollcall-worker -- rollcall plan people');
    const notes = await notesOf('distributed-keda', '--set', 'worker.keda.minReplicas=0');
    expect(notes).toContain('deploy/acme-rollcall-scheduler -- rollcall plan people');
    expect(notes).not.toContain('deploy/acme-rollcall-worker -- rollcall');
    expect(notes).toContain('scaledobject/acme-rollcall-worker autoscaling.keda.sh/paused-replicas=1');
  });

  it('gives a release with a full stop in its name names that a Service may have', async () => {
    const { stdout } = await runHelm(helm, ['template', 'acme.prod', chart, ...valuesOf('single-sqlite')]);
    for (const { metadata } of parseManifests(stdout)) expect(metadata.name).toMatch(/^[a-z][-a-z0-9]*$/);
  });

  it('tells after the installation what to do next', async () => {
    const notes = await notesOf('single-sqlite');
    expect(notes).toContain('helm test acme --namespace people --logs');
    expect(notes).toContain('kubectl exec --namespace people deploy/acme-rollcall -- rollcall plan people');
    expect(notes).toContain('*/15 * * * * (America/Montevideo)');
    expect(notes).toContain('volume claim acme-rollcall');
  });

  it.each([
    ['', 16, 10],
    ['config.workers.storeConnections=5', 16, 5],
    ['updateStrategy.type=Recreate', 12, 10],
    ['updateStrategy.rollingUpdate.maxSurge=2', 18, 10],
    ['worker.autoscaling.enabled=false', 9, 10],
    ['worker.replicas=0', 6, 10],
    ['scheduler.replicas=5,server.replicas=1', 10 + 7 + 2, 10],
  ])(
    'counts the connections to PostgreSQL, of all pods and those that an update adds: %s',
    async (values, pods, each) => {
      const set = values === '' ? [] : ['--set', values];
      const notes = await notesOf('distributed', ...set);
      expect(notes).toContain(`at most ${pods * each} (${pods} pods, each ${each}) connections to PostgreSQL`);
      expect(notes.includes('WARNING: PostgreSQL allows 100 by default')).toBe(pods * each > 90);
      const limit = ['--set', `postgres.maxConnections=${pods * each}`];
      expect(await notesOf('distributed', ...set, ...limit)).toContain(
        `of ${pods * each} that postgres.maxConnections`,
      );
      expect(await notesOf('single-postgres')).toContain('at most 10 (1 pods, each 10)');
    },
  );

  it('takes zero replicas as a suspension, of what would scale them too, and says so', async () => {
    const zero = (...roles: string[]) => roles.flatMap((role) => ['--set', `${role}.replicas=0`]);
    const idle = await objectsOf('distributed', ...zero('worker'));
    expect(one(idle, 'Deployment', 'acme-rollcall-worker').spec?.replicas).toBe(0);
    expect(named(idle)).not.toContain('HorizontalPodAutoscaler acme-rollcall-worker');
    expect(named(await objectsOf('distributed-keda', ...zero('worker')))).not.toContain(
      'ScaledObject acme-rollcall-worker',
    );
    const notes = await notesOf('distributed', ...zero('worker', 'server'));
    expect(notes).toMatch(/SUSPENDED: replicas is 0 for worker, server\..*No run makes progress/s);
    expect(notes).toContain('deploy/acme-rollcall-scheduler -- rollcall plan people');
    expect(notes).not.toContain('No schedule starts a run');
    expect(await notesOf('distributed')).not.toContain('SUSPENDED');
    const alone = await objectsOf('single-sqlite', ...zero('single'));
    expect(one(alone, 'Deployment').spec?.replicas).toBe(0);
    // It would wait for a pod beside which the volume is.
    expect(named(alone)).not.toContain('Pod acme-rollcall-test');
    expect(await notesOf('single-sqlite', ...zero('single'))).toMatch(/SUSPENDED.*Nothing runs.*set replicas first/s);
  });

  it.each(variants.filter((variant) => variant !== 'existing-configmap'))(
    'names in each command of a notice a Deployment that it makes (%s)',
    async (variant) => {
      const objects = await objectsOf(variant);
      const { commandPrefix } = parse(one(objects, 'ConfigMap').data?.['rollcall.yaml'] ?? '') as Record<
        string,
        string
      >;
      for (const { code } of listedCodes.filter(({ kind }) => kind === 'alert')) {
        const { prefix, action = '' } = podCommands(code as AlertCode, commandPrefix ?? '');
        for (const [, name] of `${prefix}\n${action}`.matchAll(/deploy\/(\S+)/g)) one(objects, 'Deployment', name);
        for (const line of action === '' ? [] : action.split('\n')) expect(line).toContain('--namespace people ');
      }
    },
  );

  it('can be installed with an address and Secrets alone, and tells that a sync is to be added', async () => {
    const only = [
      'config.connections.acme.baseUrl=https://platform.example.com',
      `config.connections.acme.accessToken=\${env:T}`,
    ];
    const secret = ['secretEnv.T.secret=rollcall-acme', 'secretEnv.T.key=access-token'];
    const sets = [...only, ...secret].flatMap((value) => ['--set', value]);
    const { code, stdout, stderr } = await runHelm(helm, ['install', 'acme', chart, '--dry-run=client', ...sets]);
    expect(`${stderr}${code}`).toBe('0');
    expect(stdout.slice(stdout.indexOf('NOTES:'))).toContain('config.syncs is empty');
  });

  it('leaves to the program what a reference or a template will be, and leaves out what is null', async () => {
    const words = [
      '--set',
      `config.log.level=\${env:LOG_LEVEL},extraEnv[0].name=LOG_LEVEL,extraEnv[0].value=debug`,
      '--set',
      'global.policy=create-only',
      '--set-json',
      'config.syncs.people.policy="{{ .Values.global.policy }}"',
      '--set',
      'config.syncs.people.schedule=null,config.server.port=null',
    ];
    const text = one(await objectsOf('single-sqlite', ...words), 'ConfigMap').data?.['rollcall.yaml'];
    expect(parse(text ?? '')).toEqual({
      connections: { acme: { baseUrl: 'https://platform.example.com', accessToken: `\${env:ACME_ACCESS_TOKEN}` } },
      deployment: expect.stringMatching(/^[a-z-]+\/[a-z-]+$/),
      commandPrefix: expect.stringMatching(/^kubectl exec --namespace [a-z-]+ deploy\/[a-z-]+ --$/),
      log: { level: `\${env:LOG_LEVEL}` },
      server: { host: '0.0.0.0', metricsPort: 9464 },
      syncs: { people: expect.objectContaining({ policy: 'create-only', connection: 'acme' }) },
    });
    expect(text).not.toContain('schedule');
  });

  it('takes every example of values in the documentation', async () => {
    const texts = ['../../docs/kubernetes.md', 'README.md'].map((file) => readFile(join(chart, file), 'utf8'));
    const text = (await Promise.all(texts)).join('\n');
    const examples = [...text.matchAll(/^( *)```yaml\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', body = '']) =>
      body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    );
    expect(examples.length).toBeGreaterThan(4);
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-values-'));
    try {
      for (const example of examples) {
        const file = join(folder, 'values.yaml');
        await writeFile(file, example);
        // The first is whole; the others are parts of a deployment of many pods.
        const base = example.includes('baseUrl')
          ? []
          : valuesOf(example.includes('keda') ? 'distributed-keda' : 'distributed');
        const { code, stderr } = await runHelm(helm, ['template', 'acme', chart, ...base, '--values', file]);
        expect(`${stderr}${code}`, example).toBe('0');
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('refuses by its schema, each with its place, in one answer', async () => {
    const wrong: Readonly<Record<string, RegExp>> = {
      'replicas=3': /replicas/,
      'config.conections.acme.baseUrl=https://p.example.com': /\/config.*'conections' not allowed/,
      'config.syncs.other.connection=acme': /\/config\/syncs\/other.*missing properties.*'policy'/,
      'config.syncs.people.policy=all': /\/config\/syncs\/people\/policy.*'upsert-only'/,
      'mode=cluster': /mode.*'single', 'distributed'/s,
      'image.pullPolicy=Sometimes': /pullPolicy.*'IfNotPresent'/s,
      'image.digest=abc': /digest/,
      'image.tag=2': /tag.*string/s,
      'single.resources.limits.memory=much': /memory/,
      'secretEnv.X.secret=a': /secretEnv.*key/s,
      'proxy.https=p.example.com:3128': /proxy\/https/,
      'config.connections.acme.baseurl=https://p.example.com': /\/config\/connections\/acme.*'baseurl' not allowed/,
      'config.syncs.people.shedule.cron=x': /\/config\/syncs\/people.*'shedule' not allowed/,
      'config.server.port=http': /server\/port.*want integer/,
      'fullnameOverride=Roll_Call': /fullnameOverride/,
      'config.syncs.people.source.subdomain=acme': /\/config\/syncs\/people\/source'.*'subdomain' not allowed/,
      'config.connections.acme.limits.concurrency=0': /\/config\/connections\/acme\/limits\/concurrency.*want 1/,
      'config.syncs.people.settle.deadline=soon': /\/config\/syncs\/people\/settle\/deadline.*pattern/,
      'livenessProbe.path=/x': /livenessProbe.*'path'/,
      'worker.replicas=-1': /worker\/replicas|worker\.replicas/,
      'single.replicas=2': /single\/replicas|single\.replicas/,
      'podDisruptionBudget.maxUnavailable=0%': /maxUnavailable/,
    };
    const { code, stderr, stdout } = await render(
      'single-sqlite',
      ...Object.keys(wrong).flatMap((value) => ['--set', value]),
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    for (const sentence of Object.values(wrong)) expect(stderr).toMatch(sentence);
  });

  it.each<[string, string, RegExp, string?]>([
    ['no configuration', 'config=null', /config\.connections is empty: put your rollcall\.yaml/],
    [
      'a proxy that is given twice',
      'proxy.https=http://p:1,secretEnv.HTTPS_PROXY.secret=p,secretEnv.HTTPS_PROXY.key=url',
      /both set HTTPS_PROXY: use one of them/,
    ],
    ['two configurations', 'existingConfigMap=x', /both given: use one of them/],
    [
      'a secret that not every pod would have',
      'secretEnv=null,single.extraEnv[0].name=ACME_ACCESS_TOKEN',
      /add it to secretEnv/,
    ],
    ['a secret that no pod would have', 'secretEnv=null', /uses \$\{env:ACME_ACCESS_TOKEN\}.*add it to secretEnv/s],
    [
      'an address that is none',
      'config.connections.acme.baseUrl=platform.example.com',
      /connections\.acme\.baseUrl is no address.*https:\/\//,
    ],
    ['a way in without a name', 'ingress.enabled=true', /ingress\.hosts is empty: name the host/],
    ['a route without a Gateway', 'httpRoute.enabled=true', /httpRoute\.parentRefs is empty: name the Gateway/],
    [
      'a source that does not exist',
      'config.syncs.people.source.kind=cvs',
      /\/config\/syncs\/people\/source\/kind.*'bamboohr', 'csv'/,
    ],
    ['pods that listen to themselves', 'config.server.host=127.0.0.1', /set it to 0\.0\.0\.0/],
    [
      'more connections than the server has',
      'postgres.maxConnections=159',
      /160 \(16 pods, each 10\) connections.*maxConnections is 159: lower config\.workers\.storeConnections/,
      'distributed',
    ],
    [
      'a network policy that cuts off everything',
      'networkPolicy.openPorts=false',
      /no pod would reach DNS, the platform or the store.*networkPolicy\.egress/,
      'distributed',
    ],
    [
      'fewer workers at most than at least',
      'worker.autoscaling.minReplicas=9',
      /minReplicas is more than maxReplicas/,
      'distributed',
    ],
    ['workers that share no store', 'config.store=sqlite:./x.db', /needs PostgreSQL/, 'distributed'],
    ['workers that share no queue', 'config.redis=null', /needs Redis/, 'distributed'],
    ['one pod with a queue', 'mode=single', /use mode: distributed, or take config\.redis out/, 'distributed'],
    ['a way in to nobody', 'ingress.enabled=true', /need pods that listen: set config\.server/, 'single-silent'],
    [
      'a scrape that no port answers',
      'serviceMonitor.enabled=true,config.server.metricsPort=null',
      /send no token.*set config\.server\.metricsPort/,
    ],
    ['two that scale', 'worker.autoscaling.enabled=true', /enable one of them/, 'distributed-keda'],
    ['KEDA without a trigger', 'worker.keda.triggers=null', /would not know when to scale/, 'distributed-keda'],
  ])('refuses %s, in a sentence', async (_, value, sentence, variant = 'single-sqlite') => {
    const { code, stderr, stdout } = await render(variant, '--set', value);
    expect(stdout).toBe('');
    expect(code).toBe(1);
    expect(stderr).toMatch(sentence);
  });

  describe('refuses a secret in plain text, by its key and without its value:', () => {
    const secret = 'abcdefghijklmnopqrstuvwxyz012345';
    const auth = (kind: string, more: object) => ({ source: { auth: { kind, ...more } } });
    const key = `${secret}${secret.slice(0, 11)}=`;
    const inPlain = {
      connections: {
        acme: {
          accessToken: secret,
          refreshToken: `$\${env:${secret}}`,
          applicationToken: `{{ "${secret}" }}`,
          proxy: `http://ana:${secret}@proxy.example.com:3128`,
        },
      },
      encryptionKey: key,
      formerEncryptionKeys: [key],
      store: `postgres://rollcall:${secret}@db/rollcall`,
      redis: { url: 'redis://redis', password: secret },
      server: {
        tokens: [{ name: 'ops', role: 'viewer', token: secret }],
        openId: { clientSecret: secret },
        webhooks: { people: { secret } },
      },
      alerts: [
        { kind: 'slack', url: `https://hooks.slack.com/services/${secret}` },
        { kind: 'webhook', url: 'https://hooks.example.com', secret },
        { kind: 'opsgenie', apiKey: secret },
        { kind: 'pagerduty', routingKey: secret },
        { kind: 'email', url: `smtp://ana:${secret}@mail.example.com:587` },
      ],
      syncs: {
        a: auth('basic', { username: 'ana', password: secret }),
        b: auth('bearer', { token: 1234567 }),
        c: auth('headers', { headers: { 'x-key': secret } }),
        d: { source: { headers: { 'x-api-key': secret } } },
        e: { source: { sftp: { privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}` } } },
      },
    };
    const keys = [
      ...['accessToken', 'applicationToken', 'proxy', 'refreshToken'].map((name) => `connections.acme.${name}`),
      ...['encryptionKey', 'formerEncryptionKeys[0]', 'store', 'redis.password'],
      ...['server.tokens[0].token', 'server.openId.clientSecret', 'server.webhooks.people.secret'],
      ...['alerts[0].url', 'alerts[1].secret', 'alerts[2].apiKey', 'alerts[3].routingKey', 'alerts[4].url'],
      ...['a.source.auth.password', 'b.source.auth.token', 'c.source.auth.headers.x-key'].map((at) => `syncs.${at}`),
      ...['syncs.d.source.headers.x-api-key', 'syncs.e.source.sftp.privateKey'],
    ];
    const addresses = {
      store: `postgres://rollcall@db/rollcall?password=${secret}`,
      redis: `redis://:${secret}@redis`,
    };

    it.each([
      ['in each key that may have one', inPlain, keys],
      ['in an address, as a parameter or without a user', addresses, ['store', 'redis']],
    ])('%s', async (_, config, named) => {
      const { stderr, stdout } = await renderChecked({ config });
      expect(stdout).toBe('');
      expect([...stderr.matchAll(/^ {2}config\.(\S+)$/gm)].map(([, name]) => name).sort()).toEqual(named.toSorted());
      expect(stderr).toContain('\nPut each secret into a Secret');
      expect(stderr).not.toContain(secret);
    });

    it('every key that the schema of the product shows with a reference', async () => {
      const names = new Set<string>();
      const collect = (name: string, node: unknown): void => {
        if (typeof node !== 'object' || node === null) return;
        const { examples, properties = {}, ...others } = node as Record<string, Record<string, unknown> | undefined>;
        const isSecret =
          Array.isArray(examples) && examples.some((one) => /^\$\{(env:|file:secrets)/.test(String(one)));
        // The secret of an address is a part of it, or the kind of its channel says so.
        if (isSecret && !/^(url|proxy)$/.test(name)) names.add(name);
        for (const [key, child] of Object.entries(properties)) collect(key, child);
        for (const child of Object.values(others)) collect(name, child);
      };
      collect('', JSON.parse(await readFile(join(chart, '../../schema/rollcall.schema.json'), 'utf8')));
      expect([...names]).toEqual(
        expect.arrayContaining(['accessToken', 'encryptionKey', 'clientSecret', 'routingKey']),
      );
      const { stderr } = await renderChecked({
        config: { any: Object.fromEntries([...names].map((name) => [name, secret])) },
      });
      expect([...names].filter((name) => !stderr.includes(`\n  config.any.${name}\n`))).toEqual([]);
    });

    it('all of them at once, also outside config', async () => {
      const { stderr } = await renderChecked({
        config: { connections: { acme: { accessToken: secret } }, redis: { password: `\${env:REDIS}` } },
        proxy: { https: `http://ana:${secret}@proxy.example.com:3128` },
        extraEnv: [
          { name: 'REDIS', value: secret },
          { name: 'AWS_SECRET_ACCESS_KEY', value: secret },
          { name: 'OTEL_EXPORTER_OTLP_HEADERS', value: `api-key=${secret}` },
        ],
        single: { extraEnv: [{ name: 'PROXY', value: `http://ana:${secret}@proxy.example.com` }] },
      });
      const named = ['REDIS', 'AWS_SECRET_ACCESS_KEY', 'OTEL_EXPORTER_OTLP_HEADERS', 'PROXY'];
      expect([...stderr.matchAll(/^ {2}extraEnv\.(\w+)$/gm)].map(([, name]) => name)).toEqual(named);
      expect(stderr).toContain('\n  config.connections.acme.accessToken\n  proxy.https\n');
      expect(stderr).not.toContain(secret);
    });

    it('and takes what is none: a reference, a password beside a key as the name, a place in the answer', async () => {
      const { code, stderr } = await renderChecked({
        config: {
          store: `postgres://rollcall:\${env:ACME_ACCESS_TOKEN}@db/rollcall`,
          alerts: [{ kind: 'email', url: 'smtp://mail.example.com:587', from: 'a@example.com', to: ['b@example.com'] }],
          connections: { acme: { proxy: 'http://proxy.example.com:3128', dialect: { rolesToken: 'application' } } },
          syncs: {
            people: {
              mapping: { customFields: { 2: 'password' } },
              source: { auth: { kind: 'basic', username: `\${env:ACME_ACCESS_TOKEN}`, password: 'x' } },
            },
          },
        },
        extraEnv: [
          { name: 'PGPASSWORD', value: '$(ACME_ACCESS_TOKEN)' },
          { name: 'DATABASE', value: 'postgres://rollcall:$(ACME_ACCESS_TOKEN)@db/rollcall' },
          { name: 'OPS_TOKEN', valueFrom: { secretKeyRef: { name: 'ops', key: 'token' } } },
        ],
      });
      expect(`${stderr}${code}`).toBe('0');
    });

    /** Renders past the schema of the values, which knows no secrets. */
    async function renderChecked(values: object): Promise<HelmAnswer> {
      const folder = await mkdtemp(join(tmpdir(), 'rollcall-values-'));
      try {
        const file = join(folder, 'values.yaml');
        await writeFile(file, stringify(values));
        return await render('single-sqlite', '--values', file, '--skip-schema-validation');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
  });
});
