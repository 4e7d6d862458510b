import type { Rule } from '../../plan/plan.ts';
import type { ErrorCode } from '../errors.ts';
import type { FindingCode } from '../finding.ts';
import { fold, nearest } from '../problem-words.ts';
import type { AlertCode, RuleCode } from './alert-entries.ts';
import { alertEntries, ruleEntries } from './alert-entries.ts';
import type { ApiCode } from './api-entries.ts';
import { apiEntries } from './api-entries.ts';
import type { CodeEntry } from './code-entry.ts';
import { decisionEntries } from './decision-entries.ts';
import { errorEntries } from './error-entries.ts';
import { findingEntries } from './finding-entries.ts';

export type CodeKind = 'alert' | 'finding' | 'rule' | 'error' | 'api';
export type Code = AlertCode | RuleCode | FindingCode | Rule | ErrorCode | ApiCode;

/** A code with its entry. */
export interface ListedCode extends CodeEntry {
  readonly code: Code;
  readonly kind: CodeKind;
  /** Other names of an alert: rules of Prometheus. */
  readonly rules: readonly string[];
  /** The topic of its notices. */
  readonly topic?: string;
}

/** Every code of findings, decisions, errors and alerts, once. */
export const listedCodes: readonly ListedCode[] = [
  ...keysOf(alertEntries).map((code) => ({ code, kind: 'alert' as const, ...alertEntries[code] })),
  ...keysOf(ruleEntries).map((code) => ({ code, kind: 'alert' as const, ...ruleEntries[code] })),
  ...keysOf(findingEntries).map((code) => ({ code, kind: 'finding' as const, rules: [], ...findingEntries[code] })),
  ...keysOf(decisionEntries).map((code) => ({ code, kind: 'rule' as const, rules: [], ...decisionEntries[code] })),
  ...keysOf(errorEntries).map((code) => ({ code, kind: 'error' as const, rules: [], ...errorEntries[code] })),
  ...keysOf(apiEntries).map((code) => ({ code, kind: 'api' as const, rules: [], ...apiEntries[code] })),
];

/** Finds a code by its name or by a rule of Prometheus. Case, `-` and `_` make no difference. */
export function findCode(word: string): ListedCode | undefined {
  const wanted = fold(word);
  return listedCodes.find(({ code, rules }) => [code, ...rules].some((name) => fold(name) === wanted));
}

/** Returns the code that the word most likely means; undefined when none is close. */
export function guessCode(word: string): string | undefined {
  return nearest(
    word,
    listedCodes.flatMap(({ code, rules }) => [code, ...rules]),
  );
}

/** Returns where a code is explained, relative to the repository or package: `docs/codes.md#run-failed`. */
export function docsOfCode(code: Code): string {
  return `docs/codes.md#${anchorOf(code)}`;
}

/** The anchor of a code in docs/codes.md and on the page `/runbook`. */
export function anchorOf(code: Code): string {
  return code.toLowerCase();
}

function keysOf<Key extends string>(entries: Readonly<Record<Key, CodeEntry>>): readonly Key[] {
  return Object.keys(entries) as Key[];
}
