/**
 * What a person decided about an account that no record of the source names and no sync owns. It counts until an instant
 * or for good.
 */
export interface AccountDecision {
  /** `leave`: it stays as it is. `disable`: the next full run plans its disable. */
  readonly way: 'leave' | 'disable';
  readonly identification: string;
  /** The platform's id of the account to disable: an account made later under the identification is another one. */
  readonly accountId?: string;
  readonly by: string;
  readonly why: string | undefined;
  /** Epoch ms. Absent: for good. */
  readonly until?: number;
}

type Decided = Pick<AccountDecision, 'way' | 'identification' | 'accountId' | 'until'>;

/** Returns the detail of the audit entry of a decision, which `accountDecisionOf` reads. */
export function accountDetail({ way, identification, accountId = '', until }: Decided): string {
  const account = `the account of ${JSON.stringify(identification)}`;
  const end = until === undefined ? '' : ` until ${new Date(until).toISOString()}`;
  return way === 'leave'
    ? `${account} stays as it is${end}`
    : `${account} with the id ${JSON.stringify(accountId)} is to be disabled${end}`;
}

/** Returns the decision that an audit entry has, or undefined for another entry. */
export function accountDecisionOf({
  detail = '',
  by,
  reason: why,
}: {
  readonly detail: string | undefined;
  readonly by: string;
  readonly reason?: string;
}): AccountDecision | undefined {
  const [identification, accountId] = (detail.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map((text): string =>
    JSON.parse(text),
  );
  if (identification === undefined) return undefined;
  const end = / until (\S+)$/.exec(detail)?.[1];
  const until = end === undefined ? {} : { until: Date.parse(end) };
  const decision =
    accountId === undefined
      ? ({ way: 'leave', identification, by, why, ...until } as const)
      : ({ way: 'disable', identification, accountId, by, why, ...until } as const);
  return accountDetail(decision) === detail ? decision : undefined;
}

/** Returns the decisions that stand, given the newest first: of each account the newest, unless it ended. */
export function standingDecisions(
  newestFirst: readonly AccountDecision[],
  now: number,
): ReadonlyMap<string, AccountDecision> {
  const newest = new Map<string, AccountDecision>();
  for (const one of newestFirst) if (!newest.has(one.identification)) newest.set(one.identification, one);
  return new Map([...newest].filter(([, { until }]) => until === undefined || until > now));
}
