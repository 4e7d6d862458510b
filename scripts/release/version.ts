const semantic = /^(\d+)\.(\d+)\.(\d+)$/;

/**
 * Returns the version that a release gets: the current one raised by `patch`, `minor` or `major`, or the version that
 * `step` names. Throws when `step` is neither, or names a version below the current one.
 */
export function nextVersion(current: string, step: string): string {
  const [major, minor, patch] = parse(current);
  if (step === 'patch') return `${major}.${minor}.${patch + 1}`;
  if (step === 'minor') return `${major}.${minor + 1}.0`;
  if (step === 'major') return `${major + 1}.0.0`;
  if (compare(parse(step), [major, minor, patch]) < 0)
    throw new Error(`${step} is below the current version ${current}.`);
  return step;
}

type Parts = readonly [number, number, number];

function parse(version: string): Parts {
  const [, major, minor, patch] = semantic.exec(version) ?? [];
  if (patch === undefined) throw new Error(`"${version}" is not patch, minor, major or a version such as 1.2.3.`);
  return [Number(major), Number(minor), Number(patch)];
}

function compare(a: Parts, b: Parts): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
