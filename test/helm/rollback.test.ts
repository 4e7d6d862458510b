import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chart, findHelm, runHelm, tellSkipped } from './helm-tool.ts';
import { type Manifest, parseManifests } from './manifest.ts';

const helm = await findHelm();
if (helm === undefined) tellSkipped('rollback.test.ts', 'helm');

const bases = ['single-sqlite', 'single-postgres', 'distributed', 'distributed-keda', 'existing-configmap'];

/** What Kubernetes refuses to change in an object that exists: a rollback that changed it would fail. */
function fixedPartsOf({ kind, metadata, spec = {} }: Manifest): readonly unknown[] {
  const name = `${kind}/${metadata.name}`;
  if (kind === 'Deployment' || kind === 'StatefulSet') return [name, spec.selector];
  if (kind === 'PersistentVolumeClaim') return [name, spec];
  if (kind === 'Service') return [name, spec.type, spec.clusterIP];
  return [name];
}

const hookOf = ({ metadata }: Manifest): string => metadata.annotations?.['helm.sh/hook'] ?? '';

describe.skipIf(helm === undefined)('a rollback of the chart to the release before', () => {
  let before = '';
  const rendered = new Map<string, Promise<readonly Manifest[]>>();
  const render = (from: string, base: string): Promise<readonly Manifest[]> => {
    const made = rendered.get(`${from} ${base}`) ?? template(from, base);
    rendered.set(`${from} ${base}`, made);
    return made;
  };
  const template = async (from: string, base: string): Promise<readonly Manifest[]> => {
    const values = join(from, 'ci', `${base}-values.yaml`);
    const { code, stdout, stderr } = await runHelm(helm ?? '', ['template', 'acme', from, '--values', values]);
    expect(`${stderr}${code}`).toBe('0');
    return parseManifests(stdout);
  };

  beforeAll(async () => {
    before = await mkdtemp(join(tmpdir(), 'rollcall-chart-'));
    await cp(chart, before, { recursive: true });
    const file = join(before, 'Chart.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      text.replace(/^version: .*/m, 'version: 0.0.9').replace(/^appVersion: .*/m, 'appVersion: "0.0.9"'),
    );
  });
  afterAll(() => rm(before, { recursive: true, force: true }));

  it.each(bases)('changes no field that Kubernetes keeps fixed: %s', async (base) => {
    const [now, then] = [await render(chart, base), await render(before, base)];
    expect(JSON.stringify(then)).toContain('0.0.9');
    const lasting = (all: readonly Manifest[]) => all.filter((one) => hookOf(one) === '').map(fixedPartsOf);
    expect(lasting(then)).toEqual(lasting(now));
  });

  it.each(bases)('runs no hook, because the tables stay as they are: %s', async (base) => {
    const hooks = (await render(chart, base)).flatMap((one) => hookOf(one).split(',')).filter((hook) => hook !== '');
    expect(new Set(hooks)).toEqual(new Set(hooks.filter((hook) => /^(pre-install|pre-upgrade|test)$/.test(hook))));
    expect(hooks).toContain('test');
  });

  it('of an upgrade whose migration failed finds nothing of the hook in the way of the next try', async () => {
    const hooks = (await render(chart, 'distributed')).filter((one) => hookOf(one).includes('pre-upgrade'));
    expect(hooks.length).toBeGreaterThan(0);
    for (const { metadata } of hooks) {
      expect(metadata.annotations?.['helm.sh/hook-delete-policy']).toContain('before-hook-creation');
    }
  });
});
