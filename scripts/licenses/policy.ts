import type { ProductionPackage } from './packages.ts';

/** Licenses that let a product of any license contain the package. SPDX identifiers. */
const accepted: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/** Throws with every package whose license is unknown, or asks for the source of what contains it (copyleft). */
export function refuseLicenses(packages: readonly ProductionPackage[]): void {
  const refused = packages.filter(({ license }) => license === undefined || !isAccepted(license));
  if (refused.length === 0) return;
  const lines = refused.map(({ name, version, license }) => `  ${name}@${version}: ${license ?? 'states no license'}`);
  throw new Error(
    `These production packages have a license that is not accepted:\n${lines.join('\n')}\n` +
      'Remove the package, or add the license to scripts/licenses/policy.ts when it is permissive.',
  );
}

/** Understands one license, and a choice or a sum of licenses without inner brackets. Anything else is not accepted. */
function isAccepted(expression: string): boolean {
  const inner = expression.trim().replace(/^\(([^()]*)\)$/, '$1');
  return inner.split(' OR ').some((choice) => choice.split(' AND ').every((each) => accepted.has(each.trim())));
}
