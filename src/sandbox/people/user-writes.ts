import type { FieldName, FieldValues } from '../../core/person/fields.ts';
import type { SandboxQuirks } from '../quirks.ts';
import { type Account, type AccountPatch, changedNames, nextUpdateAt, patchAccount } from './account.ts';
import type { UserDirectory } from './user-directory.ts';

export type EffectKind = 'created' | 'updated' | 'enabled' | 'disabled' | 'removed';

/** One accepted effect on a user. */
export interface WriteLogEntry {
  /** From 1, without gaps. */
  readonly n: number;
  /** Epoch ms. */
  readonly at: number;
  readonly identification: string;
  readonly kind: EffectKind;
  /** `file:<id>`, the operation (`create`, `update`, `delete`), or `outside` for a manual change. */
  readonly via: string;
  /** Names of the changed fields; empty when the write changed nothing. */
  readonly fields: readonly string[];
}

/** All accepted effects in order. Tests compare them with the product's own report. */
export class WriteLog {
  readonly #entries: WriteLogEntry[] = [];

  get entries(): readonly WriteLogEntry[] {
    return this.#entries;
  }

  add(entry: Omit<WriteLogEntry, 'n'>): void {
    this.#entries.push({ n: this.#entries.length + 1, ...entry });
  }
}

/** The only way to change users: every write is logged and advances `lastUpdate`. */
export class UserWrites {
  readonly #directory: UserDirectory;
  readonly #log: WriteLog;
  readonly #quirks: SandboxQuirks;

  constructor(directory: UserDirectory, log: WriteLog, quirks: SandboxQuirks) {
    this.#directory = directory;
    this.#log = log;
    this.#quirks = quirks;
  }

  /** Creates a user that must not exist yet. */
  create(sent: string, fields: FieldValues, origin: Origin): Account {
    const identification = this.#quirks.identifications === 'lowercase' ? sent.toLowerCase() : sent;
    const account = this.seed(identification, { fields: this.#kept(fields) }, origin.at);
    this.#log.add({ ...origin, identification: sent, kind: 'created', fields: Object.keys(account.fields) });
    return account;
  }

  /** Creates a user without a log entry, as if it had always existed. */
  seed(identification: string, initial: Pick<AccountPatch, 'enabled' | 'fields'>, at: number): Account {
    const id = this.#directory.nextId();
    const empty: Account = {
      id,
      uid: `uid-${id}`,
      identification,
      enabled: initial.enabled ?? true,
      fields: {},
      createdAt: at,
      lastUpdateAt: Math.floor(at / 1000) * 1000,
    };
    const account = patchAccount(empty, { fields: initial.fields ?? {} });
    this.#directory.replace(undefined, account, at);
    return account;
  }

  update(before: Account, patch: AccountPatch, kind: EffectKind, origin: Origin): Account {
    const kept = patch.fields === undefined ? patch : { ...patch, fields: this.#kept(patch.fields) };
    const patched = patchAccount(before, kept);
    const fields = changedNames(before, patched);
    const moves = this.#quirks.touch === 'always' || fields.length > 0;
    const after = moves ? { ...patched, lastUpdateAt: nextUpdateAt(before.lastUpdateAt, origin.at) } : patched;
    this.#directory.replace(before, after, origin.at);
    this.#log.add({ ...origin, identification: after.identification, kind, fields });
    return after;
  }

  remove(before: Account, blacklist: boolean, origin: Origin): void {
    this.#directory.replace(before, undefined, origin.at);
    if (blacklist) this.#directory.blacklist.add(before.identification);
    const fields = blacklist ? ['blacklist'] : [];
    this.#log.add({ ...origin, identification: before.identification, kind: 'removed', fields });
  }

  #kept(fields: FieldValues): FieldValues {
    const { trims, ignoresField } = this.#quirks;
    const kept: Partial<Record<FieldName, string>> = {};
    for (const [name, value] of Object.entries(fields) as [FieldName, string][]) {
      if (ignoresField.includes(name)) continue;
      kept[name] = trims > 0 ? [...value.trim()].slice(0, trims).join('') : value;
    }
    return kept;
  }
}

/** The time and the cause of a write. */
export interface Origin {
  readonly at: number;
  readonly via: string;
}
