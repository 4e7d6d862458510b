/** The columns of a table as texts, from which `Schema` derives their types. */
export type Columns = Readonly<Record<string, string>>;

export interface Table<Named extends Columns> {
  /** The primary key. */
  readonly key: readonly string[];
  readonly columns: Named;
}

export function table<const Named extends Columns>(
  key: readonly (keyof Named & string)[],
  columns: Named,
): Table<Named> {
  return { key, columns };
}

/** The audit, its chain, what signs, and who is signed in. */
export const auditTables = {
  audit: table(['id'], {
    id: 'text not null',
    at: 'bigint not null',
    by_whom: 'text not null',
    label: 'text',
    action: 'text not null',
    /** Null for entries about a connection. */
    sync: 'text',
    connection: 'text',
    run: 'text',
    detail: 'text',
    why: 'text',
    said_as: 'text',
    /** 1, 2, 3 …: the order of the chain. */
    seq: 'bigint not null',
    /** The name of the sync when it was written. */
    sync_then: 'text',
    /** Null once a text was changed because a person was forgotten. */
    salt: 'text',
    /** sha256 of salt and texts. */
    commitment: 'text not null',
    /** sha256 of the chain before, of the commitment, and of what is not a text. */
    chain: 'text not null',
  }),
  /** The last entry of the audit that was pruned: the chain continues from it. */
  audit_heads: table(['seq'], {
    seq: 'bigint not null',
    chain: 'text not null',
    at: 'bigint not null',
    /** The signature and the id of its key. Null: there was no key. */
    signature: 'text',
    key: 'text',
  }),
  /** The Ed25519 keys that sign for this deployment. The newest one signs. */
  signing_keys: table(['id'], {
    id: 'text not null',
    made_at: 'bigint not null',
    /** SPKI in base64. */
    public: 'text not null',
    /** PKCS#8 in base64, sealed. Null once another key signs. */
    sealed: 'text',
  }),
  sessions: table(['key'], {
    key: 'text not null',
    name: 'text not null',
    label: 'text',
    groups: 'text not null',
    grants: 'text not null',
    method: 'text not null',
    origin: 'text not null',
    created_at: 'bigint not null',
    used_at: 'bigint not null',
    expires_at: 'bigint not null',
  }),
};
