import { clearingWrites } from '../core/run/batch.ts';
import type { Dialect } from '../core/run/settings.ts';
import { checkCustomFields, csvOnlyFields, fieldPath } from './check-mapping.ts';
import { writeOnlyFields } from './sections/dialect.ts';
import { choiceSentence } from './sentences.ts';
import type { SyncDraft, SyncReading } from './sync-draft.ts';

/** Checks the keys of a sync together and with the connection's dialect. Skips keys that are reported already. */
export function checkSync(draft: SyncDraft, reading: SyncReading): void {
  const connection = checkConnection(draft, reading);
  checkPolicy(draft, reading);
  checkDelivery(draft, reading, connection?.dialect);
  checkMatch(draft, reading);
  checkPrefer(draft, reading);
  const { mapping } = draft.found;
  if (mapping === undefined || connection?.dialect === undefined) return;
  checkCustomFields(mapping, [...draft.path, 'mapping'], connection.dialect, reading.report);
  checkClearing(draft, reading, connection.dialect);
}

function checkConnection({ path, found }: SyncDraft, { connections, report }: SyncReading) {
  if (found.connection === undefined) return undefined;
  const names = [...connections.keys()];
  if (!connections.has(found.connection) && names.length > 0) {
    report.add(
      [...path, 'connection'],
      `names no connection of this file; it ${choiceSentence(found.connection, names)}`,
      names,
    );
  }
  return connections.get(found.connection);
}

function checkPolicy({ path, found }: SyncDraft, { report }: SyncReading): void {
  const { policy } = found;
  if (policy === undefined || policy === 'sync') return;
  const never = `policy ${policy} does not allow it; use policy: sync, or delete this key`;
  if (found.remove !== undefined && found.remove !== 'never') {
    report.addKey([...path, 'remove'], `deletes accounts, but ${never}`);
  }
  if (found.outOfScope === 'disable') {
    report.addKey([...path, 'outOfScope'], `disables accounts, but ${never}`);
  }
}

function checkDelivery({ path, found, written }: SyncDraft, { report }: SyncReading, dialect?: Dialect): void {
  const { delivery, policy, mapping } = found;
  if (written.has('outbox') && delivery !== undefined && delivery !== 'outbox') {
    report.addKey(
      [...path, 'outbox'],
      `has no effect with delivery: ${delivery}; write delivery: outbox, or delete this key`,
    );
  }
  if (delivery === 'outbox' && found.remove !== undefined && found.remove !== 'never') {
    report.addKey([...path, 'remove'], 'is not possible with an outbox: a CSV file has no row that deletes an account');
  }
  if (delivery !== 'direct') return;
  if (policy === 'sync') {
    const message =
      'direct cannot disable or enable users, which policy: sync requires; use auto or csv, or policy: upsert-only';
    report.add([...path, 'delivery'], message);
  }
  if (mapping === undefined) return;
  for (const name of csvOnlyFields(mapping, dialect?.customFieldLimit.direct ?? Number.POSITIVE_INFINITY)) {
    const message =
      'is written by CSV only, and delivery is direct; use delivery: auto or csv, or remove it from the mapping';
    report.addKey([...path, 'mapping', ...fieldPath(name)], message);
  }
}

/** A delta that shows only the old record of a person would pass it off as the one that counts. */
function checkPrefer({ path, found }: SyncDraft, { report }: SyncReading): void {
  if (found.prefer === undefined || found.deltas === undefined || found.deltas === 'never') return;
  const message =
    'chooses among all records of a person, and a delta shows only those that changed; write deltas: never, or delete this key';
  report.addKey([...path, 'prefer'], message);
}

function checkMatch({ path, found }: SyncDraft, { report }: SyncReading): void {
  const { match, mapping } = found;
  if (match === undefined || mapping === undefined) return;
  const at = match.indexOf('email');
  if (at >= 0 && mapping.fields.email === undefined) {
    report.add([...path, 'match', at], 'names email, but mapping has no email; map it, or remove it from match');
  }
}

/** A write that clears unmapped fields would destroy values that cannot be read back. */
function checkClearing({ path, found }: SyncDraft, { report }: SyncReading, dialect: Dialect): void {
  const { mapping, delivery, parkEmail, policy } = found;
  if (mapping === undefined || delivery === undefined || policy === 'create-only') return;
  const { byFile, byCall } = clearingWrites({ delivery, ...(parkEmail === undefined ? {} : { parkEmail }) }, dialect);
  if (!byFile && !byCall) return;
  const how = [
    ...(byFile ? ['dialect.csv.header is full and an empty cell clears'] : []),
    ...(byCall ? ['dialect.put is replaces'] : []),
  ].join(', and ');
  const carried = writeOnlyFields.filter((name) => mapping.fields[name] !== undefined);
  if (found.firstSight === 'assume' && carried.length > 0) {
    const message = `is assume, but every write carries ${carried.join(', ')} and overwrites what was assumed (${how}); use firstSight: write, which counts and shows these writes`;
    report.addKey([...path, 'firstSight'], message);
  }
  const lost = writeOnlyFields.filter((name) => mapping.fields[name] === undefined && !dialect.mayClear.includes(name));
  if (lost.length === 0) return;
  const message = `does not name ${lost.join(', ')}: every write would clear it, and it cannot be read back (${how}); map it, or list it in dialect.mayClear`;
  report.addKey([...path, 'mapping'], message);
}
