import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { readProductionPackages } from '../licenses/packages.ts';
import { refuseLicenses } from '../licenses/policy.ts';

// Not with --omit=dev: npm then leaves out packages that production needs too when a development package needs them.
const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];

interface Component {
  readonly 'bom-ref': string;
  name: string;
  readonly version: string;
  licenses?: readonly { readonly license: { readonly id: string } }[];
}

interface Sbom {
  readonly metadata: { readonly component: Component };
  components: Component[];
  dependencies: { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Writes the bill of materials of a production installation as CycloneDX JSON: every package with version, hash and
 * license. Throws when a package has a license that is not accepted.
 */
export async function writeSbom(root: string, file: string): Promise<void> {
  const packages = await readProductionPackages(root);
  refuseLicenses(packages);
  const { stdout } = await promisify(execFile)('npm', words, { cwd: root, maxBuffer: 2 ** 25 });
  const sbom = JSON.parse(stdout) as Sbom;
  const { component: product } = sbom.metadata;
  // npm calls the product as its folder is called.
  product.name = 'rollcall';
  const licenses = new Map(packages.map(({ name, version, license }) => [`${name}@${version}`, license]));
  const isIn = (ref: string): boolean => licenses.has(ref);
  sbom.components = sbom.components.filter((component) => isIn(component['bom-ref']));
  for (const component of sbom.components) {
    // npm leaves out a license in the old form of package.json.
    const id = licenses.get(component['bom-ref']);
    if (component.licenses === undefined && id !== undefined) component.licenses = [{ license: { id } }];
  }
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => ref === product['bom-ref'] || isIn(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isIn) }));
  await writeFile(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
}
