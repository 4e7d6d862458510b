import { compileSourcePath, compileVisibility } from '../../core/person/source-path.ts';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { countOf } from '../../core/run/formats.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import { addDigest, openKeySet } from './key-set.ts';

/** The fields of one record, as the HR system shows them. */
export type Fields = Readonly<Record<string, unknown>>;

export interface TallyRules {
  /** Key of an employment within the source: a path, or a function where several fields form it. */
  readonly key: string | ((fields: Fields) => unknown);
  /** Fields that were requested by name. A field that no record has is reported and holds the run. */
  readonly expected?: readonly string[];
  /** True for a delta or a lookup, which may find no one. */
  readonly mayBeEmpty?: boolean;
  /** Most records of one read. Default: 5 million. */
  readonly maxRecords?: number;
}

/** More records than any company has employees. A longer list has no end. */
const defaultMaxRecords = 5_000_000;

/** Counts the records of a read and decides at its end whether the read is complete. Holds only a hash per person. */
export interface Tally {
  /** Counts a record; undefined: one that is no object. Throws SOURCE_UNAVAILABLE for more records than `maxRecords`. */
  add(fields: Fields | undefined): void;
  /** Adds a reason, without values, why the read is not complete. */
  doubt(reason: string): void;
  /** Adds a reason, without values, why absence proves nothing, although all people were read. */
  unsure(reason: string): void;
  readonly rows: number;
  /**
   * `evidence` is what ended the read. `total`, where the source reports an exact one, must match the people
   * received.
   */
  end(facts: { readonly evidence: string; readonly total?: number | undefined }): ReadEnd;
}

/** Compiles the key of a record as text; undefined where it has none. */
export function compileKeyOf({ key }: TallyRules): (fields: unknown) => string | undefined {
  const read = typeof key === 'string' ? compileSourcePath(key) : key;
  return (fields) => {
    const value = isRecord(fields) ? read(fields) : undefined;
    if (value === undefined || value === null || value === '') return undefined;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
}

export function openTally(rules: TallyRules): Tally {
  const { key, expected = [], mayBeEmpty = false, maxRecords = defaultMaxRecords } = rules;
  const keyOf = compileKeyOf(rules);
  const unseen = new Map(expected.map((path) => [path, compileVisibility(path)]));
  const seen = openKeySet();
  const doubts: string[] = [];
  const unsure: string[] = [];
  // The sum of the records' hashes does not depend on their order.
  const sum = new Uint32Array(8);
  let rows = 0;
  let doubles = 0;
  let keyless = 0;
  let formless = 0;

  return {
    add(fields) {
      rows += 1;
      if (rows > maxRecords) throw endless(maxRecords);
      if (fields === undefined) {
        formless += 1;
        return;
      }
      if (unseen.size > 0) for (const [path, isVisible] of unseen) if (isVisible(fields)) unseen.delete(path);
      addDigest(sum, JSON.stringify(fields));
      const value = keyOf(fields);
      if (value === undefined) keyless += 1;
      else if (!seen.add(value)) doubles += 1;
    },
    doubt(reason) {
      if (!doubts.includes(reason)) doubts.push(reason);
    },
    unsure(reason) {
      if (!unsure.includes(reason)) unsure.push(reason);
    },
    get rows() {
      return rows;
    },
    end({ evidence, total }) {
      const reasons = [...doubts];
      if (rows === 0 && !mayBeEmpty)
        reasons.push(
          'the source returned no records, which is treated as a fault: check the permissions of its account, and the filters',
        );
      if (doubles > 0) {
        const who = countOf(doubles, 'record was returned', 'records were returned');
        reasons.push(`${who} twice: people moved between pages, so another person may be missing`);
      }
      const unnamed = `${countOf(keyless, 'record has', 'records have')} no ${typeof key === 'string' ? key : 'key'}`;
      // Nothing would show a person who is missing. One of many that has none is trouble of that one.
      if (keyless > 0 && keyless === rows - formless) reasons.push(unnamed);
      if (rows > 0 && formless === rows) reasons.push(`each of its ${rows} records is not an object`);
      if (total !== undefined && total !== rows - doubles) {
        reasons.push(`the source reports a total of ${total}, but returned ${rows - doubles}`);
      }
      // A delta without records says nothing about fields.
      const more = rows === 0 || unseen.size === 0 ? {} : { notReturned: [...unseen.keys()] };
      if (reasons.length > 0) return { complete: false, rows, reasons, ...more };
      const stamp = Buffer.from(sum.buffer).toString('base64url');
      const told = keyless > 0 ? [...unsure, unnamed] : unsure;
      return {
        complete: true,
        rows,
        evidence,
        stamp,
        asOf: 'read',
        ...more,
        ...(told.length > 0 ? { doubts: told } : {}),
      };
    },
  };
}

function endless(maxRecords: number): RollcallError {
  const message =
    `the source has returned more than ${maxRecords} records and still more follow: its list does not end. Check the ` +
    'paging of the source, and its filters';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'never' });
}

/** Reads a count from an answer, a number or text. */
export function countIn(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/**
 * Returns the doubt about a count that is there and is no count, which may be the sign of an answer in trouble. A count
 * that is absent or null is none. `name`: where the answer has it.
 */
export function countDoubts(value: unknown, name: string): readonly string[] {
  if (value === undefined || value === null || countIn(value) !== undefined) return [];
  return [`${name} is not a whole number, so it does not show how many people there are`];
}
