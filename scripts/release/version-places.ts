/** One file that names the product's version, and where in it. */
interface VersionPlace {
  readonly path: string;
  /** Finds each mention. Group 1 is the text before the version. */
  readonly mention: RegExp;
  readonly count: number;
}

const versionText = String.raw`\d+\.\d+\.\d+`;

/** Every file whose version a release sets. CHANGELOG.md is not among them: it gets a section. */
export const versionPlaces: readonly VersionPlace[] = [
  { path: 'package.json', mention: new RegExp(`(^ {2}"version": ")${versionText}`, 'gm'), count: 1 },
  {
    path: 'package-lock.json',
    // At the top of the file, and in its entry for this package.
    mention: new RegExp(`("name": "rollcall",\n +"version": ")${versionText}`, 'g'),
    count: 2,
  },
  {
    path: 'helm/rollcall/Chart.yaml',
    mention: new RegExp(`(^(?:version|appVersion): )${versionText}`, 'gm'),
    count: 2,
  },
  { path: 'Dockerfile', mention: new RegExp(`(^ARG VERSION=)${versionText}`, 'gm'), count: 1 },
  {
    path: 'docs/kubernetes.md',
    mention: new RegExp(`(registry\\.example\\.com/rollcall:)${versionText}`, 'g'),
    count: 2,
  },
];

/** Returns the text of a file with the version set. Throws when the file does not name a version where it should. */
export function setVersion(text: string, { path, mention, count }: VersionPlace, version: string): string {
  const found = text.match(mention)?.length ?? 0;
  if (found !== count) throw new Error(`${path} names the version ${found} times; ${count} mentions are expected.`);
  return text.replace(mention, `$1${version}`);
}
