import { countOf } from '../core/count-of.ts';
import type { ReadEnd } from '../core/snapshot.ts';
import { compileSourcePath, compileVisibility } from '../core/source-path.ts';
import { digestOf, wordAt } from './digest.ts';
import { openKeySet } from './key-set.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface TallyRules {
  /** The key of an employment within the source: a path, or a function where it is made of several. */
  readonly key: string | ((fields: Fields) => unknown);
  /** Fields that were asked for by name: one that comes for nobody is reported, and holds the run. */
  readonly expected?: readonly string[];
  /** A delta or a look-up that finds nobody is no fault. */
  readonly mayBeEmpty?: boolean;
}

/** Counts what a read gives, and says at its end whether it may be called complete. Holds a hash per person, no more. */
export interface Tally {
  /** False for a key that has come before: the record must still be given, the read is no longer trusted. */
  add(fields: Fields): boolean;
  /** Something that makes absence prove nothing: said in words, without values. */
  doubt(reason: string): void;
  readonly rows: number;
  /** `evidence` is what ended the read; `total`, where the source tells one that is exact, must be the people that came. */
  end(facts: { readonly evidence: string; readonly total?: number | undefined }): ReadEnd;
}

/** Opens the tally of one read. */
export function openTally({ key, expected = [], mayBeEmpty = false }: TallyRules): Tally {
  const keyOf = typeof key === 'string' ? compileSourcePath(key) : key;
  const unseen = new Map(expected.map((path) => [path, compileVisibility(path)]));
  const seen = openKeySet();
  const doubts: string[] = [];
  // The sum of the records' hashes is the same in whatever order they come.
  const sum = new Uint32Array(8);
  let rows = 0;
  let doubles = 0;
  let keyless = 0;

  return {
    add(fields) {
      rows += 1;
      if (unseen.size > 0) for (const [path, isVisible] of unseen) if (isVisible(fields)) unseen.delete(path);
      addHash(sum, fields);
      const value = keyOf(fields);
      if (value === undefined || value === null || value === '') {
        keyless += 1;
        return true;
      }
      const isNew = seen.add(String(value));
      if (!isNew) doubles += 1;
      return isNew;
    },
    doubt(reason) {
      if (!doubts.includes(reason)) doubts.push(reason);
    },
    get rows() {
      return rows;
    },
    end({ evidence, total }) {
      const reasons = [...doubts];
      if (rows === 0 && !mayBeEmpty)
        reasons.push(
          'the source gave nobody at all, which is taken for a fault: look at what its account may see, and at filters',
        );
      if (doubles > 0) {
        const who = countOf(doubles, 'record came', 'records came');
        reasons.push(`${who} twice: people moved between pages, so somebody else may have been left out`);
      }
      if (keyless > 0) {
        reasons.push(`${countOf(keyless, 'record has', 'records have')} no ${typeof key === 'string' ? key : 'key'}`);
      }
      if (total !== undefined && total !== rows - doubles) {
        reasons.push(`the source says there are ${total}, and ${rows - doubles} came`);
      }
      // Nobody at all (a delta) says nothing of fields.
      const more = rows === 0 || unseen.size === 0 ? {} : { notReturned: [...unseen.keys()] };
      if (reasons.length > 0) return { complete: false, rows, reasons, ...more };
      const stamp = Buffer.from(sum.buffer).toString('base64url');
      return { complete: true, rows, evidence, stamp, ...more };
    },
  };
}

function addHash(sum: Uint32Array, fields: Fields): void {
  const digest = digestOf(JSON.stringify(fields));
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + wordAt(digest, i * 4);
}
