/**
 * Returns advice for each image that the Dockerfile starts from and that has no digest: a tag moves, so the same release
 * built again could contain other software. A variable counts as its default.
 */
export function findUnpinnedImages(dockerfile: string): readonly string[] {
  const advice: string[] = [];
  const defaults = new Map<string, string>();
  for (const [, name = '', value = ''] of dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm)) defaults.set(name, value);
  const stages = new Set<string>();
  for (const [, written = '', stage] of dockerfile.matchAll(/^FROM (?:--\S+ )*(\S+)(?: AS (\S+))?\s*$/gim)) {
    const image = written.replace(/\$\{?(\w+)\}?/g, (whole, name: string) => defaults.get(name) ?? whole);
    if (!stages.has(image) && !/@sha256:[0-9a-f]{64}$/.test(image)) advice.push(adviceFor(image));
    if (stage !== undefined) stages.add(stage);
  }
  return [...new Set(advice)];
}

function adviceFor(image: string): string {
  const [name = image] = image.split('@');
  return (
    `The Dockerfile starts from ${image}, which has no digest: a later build could differ. Get the digest:\n` +
    `  docker buildx imagetools inspect ${name} --format '{{.Manifest.Digest}}'\n` +
    `Write it into the Dockerfile as ${name}@sha256:…, test the image with "npm run test:container", and commit.`
  );
}
