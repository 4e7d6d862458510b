import type { FieldName } from '../person/fields.ts';
import type { DateTimeRule } from '../person/plain-date.ts';
import type { LimitedClass } from '../plan/change.ts';

/** The target of a sync for the time from the start of a leaver's clock until the account is seen disabled. */
export interface LeaverTarget {
  readonly withinMs: number;
  /** How long before the end of the target a notice is sent. */
  readonly warnMs: number;
}

export const defaultLeaverTarget: LeaverTarget = { withinMs: 24 * 3_600_000, warnMs: 2 * 3_600_000 };

/** The settings of one sync, validated and with defaults. `src/config` builds them from rollcall.yaml. */
export interface SyncSettings {
  readonly name: string;
  readonly connection: string;
  readonly policy: Policy;
  readonly delivery: DeliveryChoice;
  readonly batchRows: number;
  readonly mapping: MappingSettings;
  readonly scope: string | undefined;
  /** Which of several records of one person counts. The first rule that tells them apart decides. Absent: none. */
  readonly prefer?: readonly PreferRule[];
  /** Texts of the source that mean no value, such as `NULL`, in every cell. */
  readonly nulls?: readonly string[];
  /** The column that names who in HR corrects a record. */
  readonly hrOwner?: string;
  readonly match: readonly MatchKey[];
  readonly lifecycle: LifecycleSettings | undefined;
  readonly missing: 'never' | { readonly afterReads: number; readonly minAgeMs: number };
  readonly outOfScope: 'ignore' | 'disable';
  readonly firstSight: 'write' | 'assume';
  readonly foreignDisable: 'report' | 'enable';
  readonly protected: readonly string[];
  readonly remove: 'never' | { readonly afterMs: number; readonly blacklist: boolean };
  /** The address of a leaver's account whose e-mail an employee gets, with `{identification}` in it. Absent: never. */
  readonly parkEmail?: string;
  /** Users move between syncs of a connection only by full reads that are at most this old. */
  readonly handOver: { readonly maxAgeMs: number };
  /** Limits of the expressions of mapping and scope. Absent: `defaultExpressionLimits`. */
  readonly expressions?: ExpressionLimits;
  /** The clock of stated leavers. Absent: `defaultLeaverTarget`. */
  readonly leavers?: LeaverTarget;
  readonly settle: SettleSettings;
  readonly guards: GuardSettings;
  /** Settings for reads of only changed people between full reads. Absent: every read is full. */
  readonly deltas?: DeltaSettings;
}

export type Policy = 'sync' | 'upsert-only' | 'create-only';
export type DeliveryChoice = 'auto' | 'csv' | 'direct' | 'outbox';
export type MatchKey = 'identification' | 'email';

export interface DeltaSettings {
  /** A run that begins later than this after the last clean full read makes a full read. */
  readonly fullEveryMs: number;
  /**
   * How long before the start of the last clean read a delta begins. Covers clock differences and late changes of the
   * HR system.
   */
  readonly overlapMs: number;
}

/** How long expressions may take. Beyond it they fail, and the rows they belong to have an unreadable cell. */
export interface ExpressionLimits {
  /** One expression on one record. */
  readonly perRowMs: number;
  /** All expressions of one read together. */
  readonly perRunMs: number;
}

export const defaultExpressionLimits: ExpressionLimits = { perRowMs: 1_000, perRunMs: 300_000 };

export interface SettleSettings {
  readonly everyMs: number;
  readonly deadlineMs: number;
  readonly visibleWithinMs: number;
  readonly unknownAfterMs: number;
  readonly maxSplits: number;
  /** Longest time from the end of a batch until its users are read back. */
  readonly proofWithinMs: number;
  /** Maximum age of the lookup of a user before a change is sent. */
  readonly lookWithinMs: number;
}

/** A class is held above `min(max(absolute, percent of the enabled users that are ours), cap)`. */
export interface Threshold {
  readonly absolute: number;
  readonly percent: number;
  readonly cap: number | undefined;
}

/**
 * A read is doubted when the number of blocked people grows by more than the threshold, or exceeds one in this many
 * rows.
 */
export interface BlockedThreshold extends Threshold {
  readonly oneInRows: number;
}

export type GuardSettings = Readonly<Record<LimitedClass, Threshold>> & {
  readonly blocked: BlockedThreshold;
  /** Fields within each value of which disables are limited too. Absent: none. */
  readonly segments?: readonly FieldName[];
  /** Disables, removes and misses are held when source rows fall by more than this percentage. */
  readonly rowsDownPercent: number;
  /** Updates of a mapped field are held when its fill rate falls by more than these percentage points. */
  readonly fillRateDownPoints: number;
};

export const defaultGuards: GuardSettings = {
  disables: { absolute: 5, percent: 5, cap: 100 },
  enables: { absolute: 5, percent: 5, cap: 100 },
  removes: { absolute: 3, percent: 2, cap: 20 },
  creates: { absolute: 25, percent: 20, cap: undefined },
  emailChanges: { absolute: 10, percent: 15, cap: undefined },
  updates: { absolute: 50, percent: 30, cap: undefined },
  firstSight: { absolute: 50, percent: 30, cap: undefined },
  handOvers: { absolute: 5, percent: 5, cap: 100 },
  configuration: { absolute: 10, percent: 0, cap: undefined },
  leads: { absolute: 25, percent: 20, cap: undefined },
  unleads: { absolute: 10, percent: 10, cap: 200 },
  blocked: { absolute: 10, percent: 10, cap: 100, oneInRows: 3 },
  rowsDownPercent: 10,
  fillRateDownPoints: 20,
};

/** The origin of a mapped field's value. Exactly one of the three variants. */
export type FieldRule = FieldOrigin & {
  readonly transform: readonly Transform[];
  /** The source's date format, in letters of Unicode TR 35 (`dd/MM/yyyy`). Absent: `yyyy-MM-dd`. */
  readonly format: string | undefined;
  readonly whenEmpty: 'keep' | 'clear';
  /** Absent: the source decides about the field, always. */
  readonly write?: WriteRule;
};

/**
 * Who decides about a field of an account that exists. `onCreate`: the platform. `ifEmpty`: the platform, once the field
 * has a value. `keepLocalEdits`: the side that changed the value last, and at first sight the platform.
 */
export type WriteRule = 'onCreate' | 'ifEmpty' | 'keepLocalEdits';

export type FieldOrigin =
  | { readonly kind: 'from'; readonly path: string }
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'expression'; readonly expression: string };

export const transforms = [
  'trim',
  'lowercase',
  'uppercase',
  'capitalize',
  'collapseSpaces',
  'digits',
  'ascii',
] as const;
export type Transform = (typeof transforms)[number];

export interface MappingSettings {
  readonly identification: FieldRule;
  readonly fields: Readonly<Partial<Record<FieldName, FieldRule>>>;
  /** Who leads each person. Absent: the sync changes no leaders. */
  readonly leaders?: LeaderSettings;
}

export interface LeaderSettings {
  /** The main leader: `mapping.manager`. Absent: the sync changes no main leader. */
  readonly manager?: LeaderRule;
  /** `mapping.secondaryLeaders`. Empty: the sync changes no secondary leaders. */
  readonly secondary: readonly LeaderRule[];
}

/** The origin of a reference to a leader. */
export type LeaderRule = FieldRule & {
  /** What the reference holds: the leader's identification, or the e-mail of an employee of the same read. */
  readonly by: 'identification' | 'email';
  /** Also replaces and removes leaders that were set by hand. */
  readonly takeOver: boolean;
};

/** A source field by name, where dots select inside objects, or an expression over the record. */
export type RecordValue = string | { readonly expression: string };

/** A rule that ranks several records of one person. */
export type PreferRule =
  /** Records for which the expression is true count before others. */
  | { readonly kind: 'expression'; readonly expression: string }
  /**
   * The record with the latest date counts, `future` or not after today. `format`: as of `FieldRule`; absent:
   * `lifecycle.dateFormat`.
   */
  | {
      readonly kind: 'latest';
      readonly value: RecordValue;
      readonly format: string | undefined;
      readonly future?: boolean;
    };

export interface LifecycleSettings {
  readonly status: RecordValue | undefined;
  readonly active: readonly string[];
  readonly leaver: readonly string[];
  readonly hireDate: RecordValue | undefined;
  readonly leaveDate: RecordValue | undefined;
  /** Which value decides when status and leave date disagree. Absent: see `core/lifecycle.ts`. */
  readonly leavesBy: LeavesBy | undefined;
  readonly dateFormat: string | undefined;
  /** Format of `leaveDate`. Absent: `dateFormat`. */
  readonly leaveDateFormat?: string;
  /** A source field with an IANA zone, or a zone itself (`America/Montevideo`). Default UTC. */
  readonly timezone: RecordValue | undefined;
  /** Which day a date with a time and a zone means, also in the mapping. Absent: `auto`. */
  readonly dateTimes?: DateTimeRule;
}

/** `first`: the person has left as soon as the status or the leave date shows it. `last`: only when both show it. */
export const leavesBy = ['status', 'date', 'first', 'last'] as const;
export type LeavesBy = (typeof leavesBy)[number];

/** Settings per connection for what the contract leaves open (docs/platform-assumptions.md). */
export interface Dialect {
  readonly search: {
    readonly parameters: 'query' | 'body';
    readonly pageSize: number;
    /** Accounts that the total of a search counts and that it does not list. Absent: 0. */
    readonly hidden?: number;
  };
  readonly upload: { readonly encoding: 'multipart' | 'json' | 'json-base64'; readonly preprocessing: boolean };
  readonly status: {
    /** `{id}` is replaced by the file's id. */
    readonly path: string;
    readonly done: readonly string[];
    readonly failed: readonly string[];
    /** Statuses that mean "still working". An unlisted status counts as pending, with a warning. */
    readonly pending: readonly string[];
  };
  /** HTTP statuses with which the platform refuses an upload because another file is processing. */
  readonly busyStatuses: readonly number[];
  /** Server errors (5xx) with which the platform proves that it did not apply a write. */
  readonly refusedStatuses: readonly number[];
  readonly expiresIn: 'seconds' | 'milliseconds';
  readonly enableBy: 'U' | 'I';
  readonly csv: {
    readonly header: 'used' | 'full';
    readonly emptyCell: 'clears' | 'keeps';
    readonly delimiter: string;
    readonly bom: boolean;
    readonly lineEnd: '\n' | '\r\n';
    readonly dateFormat: string;
  };
  readonly put: 'merges' | 'replaces';
  readonly userId: 'id' | 'uid' | 'identification' | 'created';
  /** What adding a main leader does where the user has another one: replaces it, or is refused until that is removed. */
  readonly leaders: { readonly main: 'replaces' | 'refuses' };
  /** The token of the role calls. The contract says both that calls take an access token, and that the application token names the community. */
  readonly rolesToken: 'access' | 'application';
  readonly customFieldLimit: { readonly direct: number; readonly csv: number };
  /** Unmapped write-only fields that a write is allowed to clear. */
  readonly mayClear: readonly FieldName[];
  readonly acceptLanguage: string;
  /** Languages of the month names in dates that the platform shows. */
  readonly monthNames: readonly MonthLanguage[];
}

export const monthLanguages = ['en', 'es', 'pt'] as const;
export type MonthLanguage = (typeof monthLanguages)[number];

export const defaultDialect: Dialect = {
  search: { parameters: 'query', pageSize: 500, hidden: 0 },
  upload: { encoding: 'multipart', preprocessing: false },
  status: {
    path: '/os-api/public-api/v1/admin/userFiles/{id}',
    done: ['Processed', 'Completed', 'Finished', 'Done', 'Success'],
    failed: ['Failed', 'Error', 'Rejected', 'Cancelled'],
    pending: ['Processing', 'Pending', 'Queued', 'Uploaded'],
  },
  busyStatuses: [409, 423],
  refusedStatuses: [],
  expiresIn: 'seconds',
  enableBy: 'U',
  csv: { header: 'used', emptyCell: 'clears', delimiter: ',', bom: false, lineEnd: '\n', dateFormat: 'yyyy-MM-dd' },
  put: 'merges',
  userId: 'id',
  leaders: { main: 'refuses' },
  rolesToken: 'access',
  customFieldLimit: { direct: 30, csv: 60 },
  mayClear: [],
  acceptLanguage: 'en',
  monthNames: ['en'],
};

export interface Limits {
  readonly requestsPerSecond: number;
  readonly concurrency: number;
  /** Largest number of users that a scan may ask for per page. Absent: `dialect.search.pageSize`. */
  readonly pageSize?: number;
  /** A response that takes longer than this counts as lost. */
  readonly timeoutMs: number;
}

export const defaultLimits: Limits = { requestsPerSecond: 10, concurrency: 4, timeoutMs: 30_000 };
