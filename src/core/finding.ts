/** Expected trouble is data: a finding says what, about whom, why, and what to do. It holds no field values. */
export interface Finding {
  readonly code: FindingCode;
  /** Absent when the finding is about the run, not a person. */
  readonly identification?: string;
  /** Where in the source: `line 12`. */
  readonly at?: string;
  /** Whose identification or e-mail the person also claims, while the plan is made; not stored. */
  readonly other?: string;
  /** A whole sentence for a person. */
  readonly message: string;
}

/** Whether two records, or two accounts, claim one person: who is who only a read of everybody tells. */
export function isAboutIdentity({ code }: Finding): boolean {
  return identityCodes.includes(code);
}

const identityCodes: readonly FindingCode[] = [
  'duplicate-key',
  'case-conflict',
  'email-conflict',
  'rename-conflict',
  'conversion',
];

export type FindingCode =
  | 'row-rejected'
  | 'row-unreadable'
  | 'cell-unreadable'
  | 'cell-collapsed'
  | 'create-refused'
  | 'enable-refused'
  | 'source-incomplete'
  | 'source-note'
  | 'duplicate-key'
  | 'case-conflict'
  | 'email-conflict'
  | 'rename-conflict'
  | 'conversion'
  | 'status-unknown'
  | 'gone-unconfirmed'
  | 'owned-by-other-sync'
  | 'removed-with-blacklist'
  | 'foreign-disable'
  | 'unresolved'
  | 'unmanaged-missing'
  | 'lookup-disagrees'
  | 'not-deliverable'
  | 'protected-user'
  | 'kept-differently'
  | 'ignored-field'
  | 'edited-elsewhere'
  | 'unverified'
  | 'repeated'
  | 'held'
  | 'rows-dropped'
  | 'fill-rate'
  | 'field-vanished'
  | 'resumed'
  | 'platform-ill'
  | 'batch-failed'
  | 'plan-outdated'
  | 'directory-note';
