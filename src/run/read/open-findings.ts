import { type Finding, isAboutIdentity } from '../../core/run/finding.ts';

const keptFindings = 10_000;

/** Collects the findings of a plan. Keeps all findings about the whole read, and 10,000 findings about people. */
export interface Findings {
  readonly find: (finding: Finding) => void;
  /** Returns findings about the whole read first, so that many findings about people never displace them. */
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
  const identities = { found: 0, notKept: 0 };
  return {
    find(found) {
      watch(found);
      const { other, account: _account, ...finding } = found;
      note(other === undefined ? finding : { ...finding, other });
      const isKept = ofPeople.length < keptFindings;
      if (finding.identification === undefined && finding.at === undefined) ofRead.push(finding);
      else if (isKept) ofPeople.push(finding);
      if (!isAboutIdentity(finding)) return;
      identities.found += 1;
      if (!isKept) identities.notKept += 1;
    },
    all: () => [...ofRead, ...ofPeople],
    identities,
  };
}
