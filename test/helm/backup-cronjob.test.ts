import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { schemaComplaints, typeCheck } from '../../scripts/chart/type-check.ts';
import { chart } from './helm-tool.ts';
import { type Manifest, type PodSpec, parseManifests } from './manifest.ts';
import { restrictedViolations } from './pod-security.ts';

it('the CronJob of the documentation is one that Kubernetes and Pod Security "restricted" accept', async () => {
  const text = await readFile(join(chart, '../../docs/backup.md'), 'utf8');
  const [job, ...others] = parseManifests(/^```yaml\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '');
  expect(others).toEqual([]);
  expect(job?.kind).toBe('CronJob');
  expect(await schemaComplaints([job as Manifest])).toEqual([]);
  expect(await typeCheck([job as Manifest])).toEqual([]);
  const { jobTemplate } = (job as Manifest).spec as { jobTemplate: { spec: { template: { spec: PodSpec } } } };
  expect(restrictedViolations(jobTemplate.spec.template.spec)).toEqual([]);
});
