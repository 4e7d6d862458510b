const oldest = [6, 2] as const;

/**
 * Returns the problems of a reachable Redis, from its INFO (Redis documentation, "INFO"), as sentences for the
 * operator. Returns none when there is no problem. A setting that INFO does not report counts as correct.
 */
export function troublesOf(info: string): readonly string[] {
  const wordOf = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const troubles: string[] = [];
  const policy = wordOf('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction')
    troubles.push(
      `Redis evicts jobs when its memory is full (maxmemory-policy ${policy}), and runs wait until the missing jobs are detected: set maxmemory-policy noeviction`,
    );
  // Compatible servers with another name count their versions differently.
  const version = wordOf('valkey_version') === undefined ? wordOf('redis_version') : undefined;
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  if (version !== undefined && (major < oldest[0] || (major === oldest[0] && minor < oldest[1])))
    troubles.push(`Redis ${version} is too old: use ${oldest.join('.')} or newer`);
  return troubles;
}
