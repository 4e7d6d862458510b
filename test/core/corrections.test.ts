import { expect, it } from 'vitest';
import data from '../../src/core/person/corrections.json' with { type: 'json' };
import { type CorrectionCode, correctionWords, languages } from '../../src/core/person/corrections.ts';
import { listedCodes } from '../../src/core/run/codes/code-list.ts';

/** Findings that HR does not correct: a cell that `corrections.json` names under another code, or no row of HR. */
const notOfHr = [
  // Told by the cell that is the cause.
  ...['create-refused', 'enable-refused', 'cell-suspect', 'cell-collapsed'],
  // An operator decides whose account it is.
  ...['rename-conflict', 'conversion', 'email-cycle', 'left-as-decided', 'another-person', 'identity-unchecked'],
  ...['decision-without-effect', 'removed-with-blacklist', 'foreign-disable', 'protected-user', 'orphaned-users'],
  // The source, the configuration and the runs.
  ...['source-incomplete', 'source-note', 'field-vanished', 'person-unknown', 'leavers-alone', 'frozen', 'held'],
  ...['gone-unconfirmed', 'missing-found', 'missing-unconfirmed', 'lookup-refused', 'plan-outdated', 'clock-jumped'],
  ...['owned-by-other-sync', 'handed-over', 'hand-over-expected', 'not-undone', 'already-undone', 'repeated'],
  // The platform.
  ...['leader-by-hand', 'leaders-unclear', 'unresolved', 'account-unreadable', 'lookup-disagrees', 'create-waits'],
  ...['identification-rewritten', 'not-deliverable', 'kept-differently', 'ignored-field', 'changed-elsewhere'],
  ...['unverified', 'platform-ill', 'file-too-large', 'file-status', 'batch-failed'],
];

const codes = Object.keys(data.codes) as CorrectionCode[];

it('each code of a finding is one that HR corrects, or none of HR', () => {
  const findings = listedCodes.filter(({ kind }) => kind === 'finding').map(({ code }): string => code);
  const told = findings.filter((code) => codes.some((one) => one === code));
  expect([...told, ...notOfHr].toSorted()).toEqual(findings.toSorted());
});

it.each(languages)('HR reads whole sentences without a word of ours, in %s', (language) => {
  const ours = /\b(block|finding|sync|run|field|source|mapping|record|identification|platform|plan|lifecycle|scope)/i;
  for (const code of codes) {
    for (const hasAccess of [true, false]) {
      const { problem, effect, remedy } = correctionWords({ code, hasAccess }, language);
      expect([problem, effect, remedy].join('\n')).not.toMatch(ours);
      expect([code, problem]).toEqual([code, expect.stringMatching(/^\p{Lu}.*[^.]$/u)]);
      expect([effect, remedy]).toEqual([
        expect.stringMatching(/^\p{Lu}.*\.$/u),
        expect.stringMatching(/^\p{Lu}.*\.$/u),
      ]);
    }
  }
});
