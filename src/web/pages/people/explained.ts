/** What the page shows of an explanation. Its form in the API is open, so each part is read with care. */
export interface Explained {
  readonly says: string | undefined;
  readonly failure: string | undefined;
  readonly records: number;
  readonly isFound: boolean;
  readonly isEnabled: boolean;
  readonly owner: string | undefined;
  readonly change: string | undefined;
  readonly forbidden: string | undefined;
  readonly rule: string | undefined;
  readonly findings: readonly string[];
  readonly next: string | undefined;
  /** All of it, as JSON. */
  readonly text: string;
}

export function readExplained(answer: object): Explained {
  const all: Json = answer as Json;
  const says = part(all.says);
  const decision = part(all.decision);
  const change = part(decision.change);
  const user = part(part(all.lookup).user);
  const findings = Array.isArray(all.findings) ? all.findings : [];
  const [said, why] = [text(says.says), text(says.reason)];
  return {
    says: said === undefined ? undefined : why === undefined ? said : `${said}: ${why}`,
    failure: text(all.failure),
    records: Array.isArray(all.records) ? all.records.length : 0,
    isFound: part(all.lookup).found === true,
    isEnabled: user.enabled === true,
    owner: text(part(all.ledger).owner),
    change: text(change.kind) === undefined ? undefined : `${text(change.kind)}: ${text(change.reason) ?? ''}`,
    forbidden: text(decision.forbidden),
    rule: text(decision.rule),
    findings: findings.flatMap((one) => text(part(one).message) ?? []),
    next: text(all.next),
    text: JSON.stringify(answer, null, 2),
  };
}

interface Json {
  readonly [name: string]: unknown;
}

function part(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
