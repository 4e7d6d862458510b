import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Manifest } from './manifest.ts';

const run = promisify(execFile);
const modules = join(import.meta.dirname, '../../node_modules');

const packages: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'keda.sh': '@kubernetes-models/keda',
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
    await run(process.execPath, [join(modules, 'typescript/bin/tsc'), '--pretty', 'false', '-p', folder]);
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    if (stdout === undefined || stdout === '') throw error;
    return stdout.trim().split('\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function moduleOf({ apiVersion, kind }: Manifest): string {
  const group = apiVersion.split('/')[0] ?? '';
  return `${packages[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
}
