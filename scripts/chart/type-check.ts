import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const modules = join(import.meta.dirname, '../node_modules');
const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

/** What of a Kubernetes object says its type. */
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
}

const packages: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'keda.sh': '@kubernetes-models/keda',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
};

/**
 * Holds objects against the types of their API, as the compiler does with what a person writes: a field that does not
 * exist, a missing one and a wrong type are complaints. Gives the complaints, one a line.
 */
export async function typeCheck(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const cache = join(modules, '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'manifests-'));
  try {
    const lines = manifests.flatMap((manifest, i) => [
      `import type { I${manifest.kind} as T${i} } from '${moduleOf(manifest)}';`,
      `export const object${i}: T${i} = ${JSON.stringify(manifest, undefined, 1)};`,
    ]);
    await writeFile(join(folder, 'objects.ts'), lines.join('\n'));
    const compilerOptions = { module: 'nodenext', strict: true, skipLibCheck: true, noEmit: true, types: [] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['objects.ts'] }));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await run(process.execPath, [compiler, '--pretty', 'false', '-p', folder]);
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    if (stdout === undefined || stdout === '') throw error;
    return stdout.trim().split('\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns what the JSON Schemas of the APIs refuse in these objects, beyond the types: formats, limits, closed lists. */
export async function schemaComplaints(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const complaints: string[] = [];
  for (const manifest of manifests) {
    const module = (await import(moduleOf(manifest))) as Readonly<Record<string, new (data: unknown) => Validated>>;
    const Model = module[manifest.kind];
    if (Model === undefined) throw new Error(`no schema of ${manifest.apiVersion} ${manifest.kind}`);
    try {
      new Model(manifest).validate();
    } catch (error) {
      complaints.push(`${manifest.kind} ${manifest.metadata.name}: ${String(error)}`);
    }
  }
  return complaints;
}

interface Validated {
  validate(): void;
}

function moduleOf({ apiVersion, kind }: Manifest): string {
  const group = apiVersion.split('/')[0] ?? '';
  return `${packages[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
}
