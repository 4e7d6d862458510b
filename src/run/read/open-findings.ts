import { causeOf, type Finding, isAboutIdentity, mergeAlike } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';

const keptFindings = 10_000;

/** Collects the findings of a plan. Keeps all findings about the whole read, and 10,000 findings about people. */
export interface Findings {
  readonly find: (finding: Finding) => void;
  /**
   * Returns findings about the whole read first, so that many findings about people never displace them. Those that say the
   * same of several columns are one. A cause that several people or rows share is a finding of its own, with their number
   * and examples, the most frequent first.
   */
  all(): readonly Finding[];
  /** Findings about identity: `found` is their number, `notKept` is how many of them were not kept. */
  readonly identities: { readonly found: number; readonly notKept: number };
}

export interface FindingsWatch {
  /** Called for each finding, kept or not. */
  readonly note: (finding: Finding) => void;
  /** The same, with the account that the finding is about. */
  readonly watch: (finding: Finding) => void;
}

/** Opens the findings of a plan. */
export function openFindings({ note, watch }: FindingsWatch): Findings {
  const ofRead: Finding[] = [];
  const ofPeople: Finding[] = [];
  const causes = new Map<string, Cause>();
  const identities = { found: 0, notKept: 0 };
  let last = '';
  return {
    find(found) {
      watch(found);
      const { account: _account, ...finding } = found;
      note(finding);
      // The other of two people has the same sentence.
      const { message: sentence } = finding;
      if (sentence !== last) countCause(causes, found);
      last = sentence;
      const isKept = ofPeople.length < keptFindings;
      if (finding.identification === undefined && finding.at === undefined) ofRead.push(finding);
      else if (isKept) ofPeople.push(finding);
      if (!isAboutIdentity(finding)) return;
      identities.found += 1;
      if (!isKept) identities.notKept += 1;
    },
    all: () => [...mergeAlike(ofRead), ...sharedCauses(causes), ...ofPeople],
    identities,
  };
}

/** A cause that people or rows share. */
interface Cause {
  readonly code: Finding['code'];
  readonly message: string;
  readonly noun: 'person' | 'row';
  readonly examples: string[];
  count: number;
}

const keptCauses = 1000;
const examplesOfCause = 3;
/** Fewer people are named one by one. */
const fewestSharing = 3;

function countCause(causes: Map<string, Cause>, finding: Finding): void {
  const { code, identification, at } = finding;
  const who = identification ?? at;
  if (who === undefined) return;
  const cause = causeOf(finding);
  const key = `${code} ${cause}`;
  const known = causes.get(key) ?? {
    code,
    message: cause,
    noun: identification === undefined ? 'row' : 'person',
    examples: [],
    count: 0,
  };
  if (!causes.has(key)) {
    if (causes.size >= keptCauses) return;
    causes.set(key, known);
  }
  known.count += 1;
  if (known.examples.length >= examplesOfCause) return;
  const { other = at } = finding;
  known.examples.push(other === undefined || other === who ? who : `${who}, ${other}`);
}

function sharedCauses(causes: ReadonlyMap<string, Cause>): readonly Finding[] {
  return [...causes.values()]
    .filter(({ count }) => count >= fewestSharing)
    .toSorted((one, other) => other.count - one.count)
    .map(({ code, message, noun, count, examples }) => {
      const more = count > examples.length ? ', …' : '';
      const who = countOf(count, noun, noun === 'row' ? 'rows' : 'people');
      return { code, people: count, message: `${who}: ${message} (${examples.join('; ')}${more})` };
    });
}
