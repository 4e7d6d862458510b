import type { BlockedKind } from '../../guard/blocked.ts';
import type { Rule } from '../../plan/plan.ts';
import type { ErrorCode } from '../errors.ts';
import type { FindingCode } from '../finding.ts';
import { fold, nearest } from '../problem-words.ts';
import type { AlertCode, ApiCode, PrometheusCode } from './code-names.ts';
import data from './codes.json' with { type: 'json' };

/**
 * What a code means and what to do about it. Commands are in backquotes; SYNC, RUN, PERSON, CONNECTION and NAME are
 * placeholders.
 */
interface CodeEntry {
  /** What happened, in one sentence. */
  readonly meaning: string;
  readonly cause: string;
  /** Steps in the order in which to try them. */
  readonly cure: readonly string[];
  /** The page of docs with more, from the folder of docs/codes.md. */
  readonly page: string;
}

interface AlertEntry extends CodeEntry {
  /** Rules of helm/rollcall/rules that detect the same. */
  readonly rules: readonly string[];
}

/** A problem that notices report. One topic can have several. */
interface NoticeEntry extends AlertEntry {
  /** An `AlertTopic`. */
  readonly topic: string;
  /** What is wrong, and what is over, in a few words: the title of a notice. */
  readonly titles: readonly string[];
}

type Entries<Name extends string, Entry = CodeEntry> = Readonly<Record<Name, Entry>>;

const alerts: Entries<AlertCode, NoticeEntry> = data.alert;
/** Problems that only the rules of Prometheus detect. */
const prometheus: Entries<PrometheusCode, AlertEntry> = data.prometheus;
const findings: Entries<FindingCode> = data.finding;
/** The rules of the truth table of `decide`, and why people are blocked, where they are not findings as well. */
const rules: Entries<Exclude<Rule | BlockedKind, FindingCode>> = data.rule;
/** Errors that end a command, a run or a request to the HTTP API. */
const errors: Entries<ErrorCode> = data.error;
/** Requests that the HTTP API refuses before they reach the product, with their status. */
const refusals: Entries<ApiCode> = data.api;

/** Kinds of code in the order of their lists, with their titles. */
export const codeTitles = {
  alert: 'Alerts',
  finding: 'Findings',
  rule: 'Decisions',
  error: 'Errors',
  api: 'Refused requests',
} as const;

export type CodeKind = keyof typeof codeTitles;
export type Code = AlertCode | PrometheusCode | FindingCode | Rule | BlockedKind | ErrorCode | ApiCode;

/** A code with its entry. */
export interface ListedCode extends AlertEntry {
  readonly code: Code;
  readonly kind: CodeKind;
  /** The topic of its notices. */
  readonly topic?: string;
}

/** Every code of findings, decisions, errors and alerts, once. */
export const listedCodes: readonly ListedCode[] = [
  ...listed('alert', alerts),
  ...listed('alert', prometheus),
  ...listed('finding', findings),
  ...listed('rule', rules),
  ...listed('error', errors),
  ...listed('api', refusals),
];

function listed<Name extends Code>(kind: CodeKind, entries: Entries<Name>): readonly ListedCode[] {
  return (Object.keys(entries) as Name[]).map((code) => ({ code, kind, rules: [], ...entries[code] }));
}

/** Finds a code by its name or by a rule of Prometheus. Case, `-` and `_` make no difference. */
export function findCode(word: string): ListedCode | undefined {
  const wanted = fold(word);
  return listedCodes.find(({ code, rules }) => [code, ...rules].some((name) => fold(name) === wanted));
}

/** Returns a row of the truth table in words: what it means, without what is done about it. */
export function ruleWords(rule: Rule): string {
  const [words = ''] = (findCode(rule)?.meaning ?? rule).split(/[:.]/);
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

/** Returns the code that the word most likely means, else one that begins as its first half; undefined without any. */
export function guessCode(word: string): string | undefined {
  const names = listedCodes.flatMap(({ code, rules }) => [code, ...rules]);
  const wanted = fold(word);
  const sharedWith = (name: string): number => {
    const different = [...wanted].findIndex((letter, i) => letter !== fold(name)[i]);
    return different === -1 ? wanted.length : different;
  };
  const most = Math.max(...names.map(sharedWith));
  return (
    nearest(word, names) ??
    (most >= Math.max(4, wanted.length / 2) ? names.find((name) => sharedWith(name) === most) : undefined)
  );
}

/** Returns what is wrong, and what is over, in a few words. */
export function titlesOfAlert(code: AlertCode): readonly [wrong: string, over: string] {
  const [wrong = code, over = code] = alerts[code].titles;
  return [wrong, over];
}

/** Returns where a code is explained, relative to the repository or package: `docs/codes.md#run-failed`. */
export function docsOfCode(code: Code): string {
  return `docs/codes.md#${anchorOf(code)}`;
}

/** The anchor of a code in docs/codes.md and on the page `/runbook`. */
export function anchorOf(code: Code): string {
  return code.toLowerCase();
}
