/**
 * Returns advice while package.json does not name the repository that the release is published from. npm compares it
 * with the repository of the CI job, and refuses provenance when they differ. Nothing here can know the right one, so a
 * person writes it.
 */
export function findMissingRepository(manifest: { readonly repository?: unknown }): readonly string[] {
  const { repository } = manifest;
  const url =
    typeof repository === 'object' && repository !== null && 'url' in repository ? repository.url : repository;
  if (typeof url === 'string' && url.trim() !== '') return [];
  return [
    'package.json names no repository. npm publishes with provenance only from the repository that it names. Set it to ' +
      'the public repository that you publish from, and commit:\n  npm pkg set repository.type=git repository.url=git+https://HOST/OWNER/NAME.git',
  ];
}
