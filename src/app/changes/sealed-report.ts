import { createHash } from 'node:crypto';
import type { PersonEvent } from '../../core/plan/event.ts';
import type { Leaver } from '../../core/plan/leavers.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { StandingDecision } from '../../core/plan/standing.ts';
import { chunk } from '../../core/run/batch.ts';
import { usageError } from '../../core/run/errors.ts';
import type { DirectoryHeader, DirectoryRow } from '../../ports/reads.ts';
import type { Store } from '../../ports/store.ts';
import type { ChainedEntry } from '../../ports/store-operations.ts';
import type { Sync } from '../../run/engine-io.ts';
import { personReportView } from '../../views/reports.ts';
import type { AppIo } from '../app-io.ts';
import { storedName } from '../find-named.ts';
import { type ReportQuery, reportPeople } from './reports.ts';

/*
 * A report that stands without Rollcall: a line of JSON each for its head, for every person in HR and every account, once,
 * with the evidence about who left, for every entry of the audit without its texts, and for the seal. The seal has the
 * hash of each line, the head of their chain, and the signature. docs/verify-report.mjs verifies it.
 */

type Io = Pick<AppIo, 'engine'>;

const pagesAtOnce = 8;

/** Yields the lines. Throws `USAGE` before the first one when no key signs, or when the audit chain is broken. */
export async function* sealedReport(app: Io, query: ReportQuery): AsyncGenerator<string> {
  const { store, syncs, clock } = app.engine;
  const [key] = await store.signing.keys();
  if (key?.isCurrent !== true) throw usageError('there is no signing key yet: run "rollcall admin keys signing" first');
  const report = await reportPeople(app, query);
  const { from, to } = report;
  const audit = await auditSince(Date.parse(from), store);
  const hashes: string[] = [];
  const counts: Record<string, number> = {};
  const line = (facts: { readonly kind: string; readonly [name: string]: unknown }): string => {
    counts[facts.kind] = (counts[facts.kind] ?? 0) + 1;
    const text = JSON.stringify(facts);
    hashes.push(sha256(text));
    return `${text}\n`;
  };
  const named = [...syncs.values()].filter(({ settings: { name } }) => (query.sync ?? name) === name);
  const reads = new Map((await store.directories.list()).map((header) => [header.sync, header]));
  const about = named.map(({ settings: { name, connection }, configuration }) => {
    const { at, run } = reads.get(storedName(name, syncs)) ?? {};
    return { sync: name, connection, configuration: configuration.fingerprint, readAt: iso(at), run };
  });
  const times = { from, to, madeAt: iso(clock.now()) };
  yield line({ kind: 'report', of: 'leavers', ...times, syncs: about, auditStart: audit.start });
  const left = new Map(Map.groupBy(personReportView(report).people, (one) => `${one.sync} ${one.identification}`));
  const totals = { rows: 0, accounts: 0, leavers: 0 };
  const seen = new Set<string>();
  // The statements of HR that a person leaves, of those whose clock counts or ended since.
  const stated = await Promise.all(
    named.map(({ settings: { name } }) => store.leavers.list(storedName(name, syncs), Date.parse(from))),
  );
  // People of every source come first: the sync that has the person in its source shows the account.
  for (const side of ['source', 'platform'] as const) {
    for (const [at, sync] of named.entries()) {
      const clocks = Map.groupBy(stated[at] ?? [], (one) => one.identification);
      const header = reads.get(storedName(sync.settings.name, syncs));
      for await (const row of population(app, { sync, header, side, clocks, left, seen })) {
        totals.rows += 1;
        if (row.account !== 'none') totals.accounts += 1;
        if (row.left.some(isLeaver)) totals.leavers += 1;
        yield line(row);
      }
    }
  }
  // Their records and accounts are gone.
  for (const rest of left.values()) {
    if (rest.some(isLeaver)) totals.leavers += 1;
    const { sync, identification } = rest[0] ?? {};
    yield line({ kind: 'person', sync, identification, account: 'none', left: rest });
  }
  for (const { link, chain } of audit.entries) yield line({ kind: 'audit', link, chain });
  const head = hashes.reduce((before, hash) => sha256(before + hash), '');
  const seal = { kind: 'seal', totals, counts, hashes, head, key: key.id, public: key.public };
  const signed = await store.signing.sign(JSON.stringify(seal));
  yield `${JSON.stringify({ ...seal, signature: signed?.signature })}\n`;
}

type Evidence = ReturnType<typeof personReportView>['people'][number];

function isLeaver({ countedAs }: Pick<Evidence, 'countedAs'>): boolean {
  return countedAs === ('leaver' satisfies PersonEvent);
}

/** Returns the entries of the audit since an instant, and the chain before them. */
async function auditSince(since: number, { audit }: Pick<Store, 'audit'>) {
  const entries: ChainedEntry[] = [];
  const proof = await audit.prove((entry) => entries.push(entry));
  if (proof.broken !== undefined) throw usageError(`the audit chain is broken: ${proof.broken}`);
  const first = entries.findIndex(({ link }) => Number(link[3]) >= since);
  const from = first === -1 ? entries.length : first;
  return { start: entries[from - 1]?.chain ?? proof.start, entries: entries.slice(from) };
}

interface Population {
  readonly sync: Sync;
  /** The last accepted full read. Undefined: there was none. */
  readonly header: DirectoryHeader | undefined;
  readonly side: DirectoryRow['side'];
  readonly clocks: ReadonlyMap<string, readonly Leaver[]>;
  /** Who left, by sync and person. Those who get a line are taken out. */
  readonly left: Map<string, readonly Evidence[]>;
  /** The accounts that have a line. */
  readonly seen: Set<string>;
}

/** Yields every person in HR, or every other account of the sync, once: what HR says, whose the account is, and the evidence. */
async function* population({ engine: io }: Io, { sync, header, side, clocks, left, seen }: Population) {
  const { name, connection } = sync.settings;
  const standing = await io.store.standing.list(connection, io.clock.now());
  const pages = Array.from({ length: header?.pages ?? 0 }, (_, page) => page);
  for (const some of chunk(pages, pagesAtOnce)) {
    for (const { rows } of await io.store.directories.read(header?.sync ?? name, some)) {
      const ids = rows.map(({ identification }) => identification);
      const ledger = await io.store.ledger.getMany(connection, ids);
      for (const row of rows) {
        const { identification, name: called, standing: says } = row;
        const entry = ledger.get(identification);
        const place = `${connection} ${identification}`;
        if (row.side !== side || seen.has(place)) continue;
        seen.add(place);
        const key = `${header?.sync} ${identification}`;
        const decided = standing.filter((one) => isAbout(one, identification, entry?.owner));
        yield {
          ...{ kind: 'person', sync: name, connection, identification, name: called },
          ...{ hr: side === 'source' ? says : 'not in HR', account: accountOf(row, entry, header?.at ?? 0) },
          ...{ owner: entry?.owner, disabledByUsAt: iso(entry?.disabledAt), left: left.get(key) ?? [], decided },
          clocks: (clocks.get(identification) ?? []).map(clockView),
        };
        left.delete(key);
      }
    }
  }
}

function clockView({ leaves, ending, run, ...at }: Leaver) {
  const { saidIn, saidAt, effectiveAt, clockAt, sentAt, seenAt } = at;
  const instants = { saidAt, effectiveAt, clockAt, sentAt, seenAt };
  const told = Object.entries(instants).map(([name, value]) => [name, iso(value)]);
  return { ...Object.fromEntries(told), saidIn, leaves, ending, run };
}

function isAbout(one: StandingDecision, identification: string, owner: string | undefined): boolean {
  if ('owner' in one) return one.owner === owner;
  return one.identification === identification || ('other' in one && one.other === identification);
}

/** The account as the read saw it, and as what was proven since left it. */
function accountOf(row: DirectoryRow, entry: LedgerEntry | undefined, readAt: number): 'none' | 'enabled' | 'disabled' {
  const { isOnPlatform, isEnabled } = row;
  if ((entry?.removed?.at ?? 0) > readAt) return 'none';
  if ((entry?.writtenAt ?? 0) > readAt) return entry?.disabledAt === undefined ? 'enabled' : 'disabled';
  return isOnPlatform ? (isEnabled ? 'enabled' : 'disabled') : 'none';
}

function iso(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
