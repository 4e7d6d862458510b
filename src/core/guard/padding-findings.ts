import { countOf } from '../run/count-of.ts';
import type { Finding } from '../run/finding.ts';
import { paddedWidth } from './leading-zeros.ts';

/** Compares the identifications of a read with each other. */
export interface PaddingFindings {
  see(row: { readonly identification: string; readonly at: string }): void;
  /** Returns a finding when some identifications seem to have lost the zeros that the others have. */
  all(): readonly Finding[];
}

/** Number of places that the finding names. */
const namedPlaces = 3;
/** Fewer identifications with zeros show no rule. */
const fewestPadded = 3;
/** Longest number that is grouped by its width. Numbers in use have fewer digits. */
const mostDigits = 40;

/**
 * Where numbers are filled up with zeros to one width, every number has that width. Shorter ones then have lost their
 * zeros, or were typed without. This only shows; the next steps are decided by the last read (see
 * `engine/lost-zeros.ts`). `column`: where the identification comes from.
 */
export function openPaddingFindings(column: string): PaddingFindings {
  const padded = new Map<number, number>();
  const shorter = new Map<number, { count: number; readonly places: string[] }>();
  return {
    see({ identification, at }) {
      const first = identification.charCodeAt(0);
      if (first < zero || first > nine || !digits.test(identification)) return;
      const width = paddedWidth(identification);
      if (width !== undefined) {
        padded.set(width, (padded.get(width) ?? 0) + 1);
        return;
      }
      const { length } = identification;
      if (length > mostDigits) return;
      const group = shorter.get(length) ?? { count: 0, places: [] };
      shorter.set(length, group);
      group.count += 1;
      if (group.places.length < namedPlaces) group.places.push(at);
    },
    all() {
      const [[width, count] = [0, 0], ...others] = padded;
      if (others.length > 0 || count < fewestPadded) return [];
      const groups = [...shorter].filter(([length]) => length < width).map(([, group]) => group);
      const lost = groups.reduce((sum, group) => sum + group.count, 0);
      if (lost === 0) return [];
      const places = groups.flatMap((group) => group.places).slice(0, namedPlaces);
      const where = `${countOf(lost, 'row')} (${places.join(', ')}${lost > places.length ? ', …' : ''})`;
      const message = `${column} has fewer than ${width} digits in ${where}, but the other values have ${width} with leading zeros. If leading zeros were lost, export the column as text`;
      return [{ code: 'cell-suspect', message }];
    },
  };
}

const zero = 0x30;
const nine = 0x39;
const digits = /^\d+$/;
