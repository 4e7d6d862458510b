import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Cluster, openCluster, type Stored } from './cluster.ts';
import { chart, findHelm, runHelm, tellSkipped } from './helm-tool.ts';
import { type Manifest, parseManifests } from './manifest.ts';

const helm = await findHelm();
if (helm === undefined) tellSkipped('references.test.ts', 'helm');

/** The annotation by which pods start anew when what they refer to has changed. */
async function mark({ url }: Pick<Cluster, 'url'>, variant: string, ...more: string[]): Promise<string | undefined> {
  const words = [
    'template',
    'acme',
    chart,
    '--namespace',
    'people',
    '--dry-run=server',
    '--disable-openapi-validation',
    '--kube-apiserver',
    url,
  ];
  const { code, stdout, stderr } = await runHelm(helm ?? '', [
    ...words,
    ...['--values', join(chart, 'ci', `${variant}-values.yaml`)],
    ...more,
  ]);
  expect(`${stderr}${code}`).toBe('0');
  const found = parseManifests(stdout).find(({ kind }) => kind === 'Deployment');
  const { template } = (found?.spec ?? {}) as { template?: Manifest };
  expect(template?.metadata.annotations).toHaveProperty('kubectl.kubernetes.io/default-container');
  return template?.metadata.annotations?.['checksum/references'];
}

const secret = (name: string, version: string): Stored => ({ kind: 'Secret', namespace: 'people', name, version });
const map = (name: string, version: string): Stored => ({ kind: 'ConfigMap', namespace: 'people', name, version });

it.skipIf(helm === undefined)(
  'starts pods anew when a Secret that the values name has another version, and only then',
  async () => {
    await using cluster = await openCluster();
    const marks: (string | undefined)[] = [];
    for (const version of ['7', '7', '8']) {
      cluster.store([secret('rollcall-acme', version), secret('of-others', `${marks.length}`)]);
      marks.push(await mark(cluster, 'single-sqlite'));
    }
    expect(marks[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(marks[1]).toBe(marks[0]);
    expect(marks[2]).not.toBe(marks[0]);
    // Nothing to compare: the Secret comes later, or the values forbid the lookup.
    cluster.store([]);
    expect(await mark(cluster, 'single-sqlite')).toBeUndefined();
    cluster.store([secret('rollcall-acme', '7')]);
    const asked = cluster.asked.length;
    expect(await mark(cluster, 'single-sqlite', '--set', 'restartOnChangedReferences=false')).toBeUndefined();
    expect(cluster.asked.slice(asked).filter((path) => path.includes('/secrets/'))).toEqual([]);
  },
);

it.skipIf(helm === undefined)('knows every way in which values name a Secret or a ConfigMap', async () => {
  await using cluster = await openCluster();
  const values = [
    'extraEnv[0].name=A,extraEnv[0].valueFrom.secretKeyRef.name=env-secret,extraEnv[0].valueFrom.secretKeyRef.key=a',
    'extraEnv[1].name=B,extraEnv[1].valueFrom.configMapKeyRef.name=env-map,extraEnv[1].valueFrom.configMapKeyRef.key=b',
    'envFrom[0].secretRef.name=from-secret,envFrom[1].configMapRef.name=from-map',
    'extraVolumes[0].name=a,extraVolumes[0].secret.secretName=volume-secret',
    'extraVolumes[1].name=b,extraVolumes[1].configMap.name=volume-map',
    'ca.configMap=company-ca,secretFiles=files,secretEnv.X.secret=plain,secretEnv.X.key=x',
  ].flatMap((value) => ['--set', value]);
  const all = [
    ...['env-secret', 'from-secret', 'volume-secret', 'files', 'plain'].map((name) => secret(name, '1')),
    ...['env-map', 'from-map', 'volume-map', 'company-ca', 'my-rollcall'].map((name) => map(name, '1')),
  ];
  cluster.store(all);
  const before = await mark(cluster, 'existing-configmap', ...values);
  for (const changed of all) {
    cluster.store(all.map((one) => (one === changed ? { ...one, version: '2' } : one)));
    expect(await mark(cluster, 'existing-configmap', ...values), changed.name).not.toBe(before);
  }
});

it.skipIf(helm === undefined)(
  'has no such mark without a cluster, so that tools which compare templates see no change',
  async () => {
    const { stdout } = await runHelm(helm ?? '', [
      ...['template', 'acme', chart, '--values', join(chart, 'ci/single-sqlite-values.yaml')],
    ]);
    expect(stdout).toContain('checksum/config');
    expect(stdout).not.toContain('checksum/references');
  },
);
