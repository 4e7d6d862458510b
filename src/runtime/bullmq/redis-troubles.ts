const oldest = [6, 2] as const;

/**
 * What is wrong with a Redis that answers, by its INFO (Redis documentation, "INFO"): sentences for a person, none when
 * all is well. What it does not tell is taken as well.
 */
export function troublesOf(info: string): readonly string[] {
  const wordOf = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const troubles: string[] = [];
  const policy = wordOf('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction')
    troubles.push(
      `Redis throws work away when it is full (maxmemory-policy ${policy}), and runs wait until it is found missing: set maxmemory-policy noeviction`,
    );
  // What calls itself something else has a count of its own.
  const version = wordOf('valkey_version') === undefined ? wordOf('redis_version') : undefined;
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  if (version !== undefined && (major < oldest[0] || (major === oldest[0] && minor < oldest[1])))
    troubles.push(`Redis is ${version}, too old: take ${oldest.join('.')} or newer`);
  return troubles;
}
