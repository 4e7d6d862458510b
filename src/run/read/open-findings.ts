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

/** Opens the findings of a plan. Calls `watch` for each finding, kept or not. */
export function openFindings(watch: (finding: Finding) => void = () => {}): Findings {
  const ofRead: Finding[] = [];
  const ofPeople: Finding[] = [];
  const identities = { found: 0, notKept: 0 };
  return {
    find({ other, account: _account, ...finding }) {
      watch(other === undefined ? finding : { ...finding, other });
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
