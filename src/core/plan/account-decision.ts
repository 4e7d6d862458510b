/**
 * What a person decided about an account that no record of the source names and no sync owns: it stays as it is, until
 * an instant or for good.
 */
export interface LeftAccount {
  readonly identification: string;
  readonly by: string;
  readonly why: string | undefined;
  /** Epoch ms. Absent: for good. */
  readonly until?: number;
}

/** Returns the detail of the audit entry of a decision, which `leftAccountOf` reads. */
export function leftDetail({ identification, until }: Pick<LeftAccount, 'identification' | 'until'>): string {
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString()}`;
  return `the account of ${JSON.stringify(identification)} stays as it is${end}`;
}

/** Returns the decision that an audit entry has, or undefined for another entry. */
export function leftAccountOf({
  detail = '',
  by,
  reason: why,
}: {
  readonly detail: string | undefined;
  readonly by: string;
  readonly reason?: string;
}): LeftAccount | undefined {
  const [, quoted, end] = /^the account of ("(?:[^"\\]|\\.)*") stays as it is(?: until (\S+))?$/.exec(detail) ?? [];
  if (quoted === undefined) return undefined;
  const until = end === undefined ? {} : { until: Date.parse(end) };
  return { identification: JSON.parse(quoted) as string, by, why, ...until };
}
