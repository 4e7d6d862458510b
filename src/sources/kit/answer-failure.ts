import { doubtAnswers, type ListCount, mergeAnswers, openAnswers } from '../../core/guard/answer.ts';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { ReadRequest, SourceIo } from '../../ports/source.ts';

/** The error of an answer that was read and lacks what it must have, so that it never counts as an empty one. */
export function lacking(name: string, what: string, advice: string): RollcallError {
  const message = `${name} was answered without ${what}: perhaps an error with a success status, or another version of the API. ${advice}`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}

/** Returns which of the words, with blanks between them, the body of an error has at a name, as JSON or XML. Any other text may quote what was sent. */
export function knownWord(bytes: Uint8Array, name: string, words: string): string | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  return words.split(' ').find((word) => new RegExp(`(?:"${name}"\\s*:\\s*"|<${name}>)${word}["<]`).test(text));
}

/** Watches what the answers of one read hold beside their lists, and judges the read by the last accepted one. */
export function openJudge({ answers: before, previous }: Pick<SourceIo, 'answers' | 'previous'>) {
  const answers = openAnswers();
  const counts = new Map<string, ListCount>();
  const failures = new Set<string>();
  return {
    judge(name: string, answer: unknown): void {
      answers.see(name, answer);
      if (before?.[name] !== undefined) return;
      for (const said of failuresIn(answer)) failures.add(`${name}: the answer says ${said}, so people may be missing`);
    },
    count: (name: string, list: ListCount): void => void counts.set(name, list),
    judged(end: ReadEnd, kind: ReadRequest['kind']): ReadEnd {
      const isShorter = kind === 'full' ? previous !== undefined && end.rows < previous.rows : undefined;
      const facts = { now: answers.profile(), before, counts, isShorter };
      const { gaps, unsure, notes } = doubtAnswers(facts);
      const reasons = [...failures, ...gaps];
      const told = notes.length === 0 ? end : { ...end, notes: [...(end.notes ?? []), ...notes] };
      const judged = kind === 'full' ? { ...told, answers: mergeAnswers(facts) } : told;
      if (!judged.complete) return { ...judged, reasons: [...judged.reasons, ...reasons] };
      const doubts = [...(judged.doubts ?? []), ...unsure];
      if (reasons.length === 0) return doubts.length === 0 ? judged : { ...judged, doubts };
      const { rows, answers: merged } = judged;
      return {
        complete: false,
        rows,
        reasons,
        isAcceptable: true,
        ...(merged === undefined ? {} : { answers: merged }),
      };
    },
  };
}

/**
 * Returns how an answer with status 200 says itself that it failed: `success: false`, `error: {…}`, `code: 429`. Looks
 * at its own members and at those one level deeper (`meta.error`). Null, false, blank, empty, and what says success say
 * nothing. Only for requests that the last accepted read did not make: it has nothing to be compared with.
 */
function failuresIn(answer: unknown): readonly string[] {
  if (!isRecord(answer)) return [];
  const parts = [answer, ...Object.values(answer).filter(isRecord)];
  return parts.flatMap((part) => Object.entries(part).flatMap(([name, value]) => saysFailure(name, value) ?? []));
}

const success = /^(?:is|was)?(?:ok|success|successful|succeeded)$/;
const failure =
  /^(?:is|has)?(?:errors?|exceptions?|faults?|failed|failure)$|^error(?:s|code|message|type|description)$/;
const status = /^(?:http)?(?:status|code|statuscode|state|result|outcome)$/;
const nothing = /^(?:|0+|false|no|none|null|ok|success|2\d\d)$/i;

/** Returns the member in words, without a text of the answer. */
function saysFailure(name: string, value: unknown): string | undefined {
  const plain = name.replace(/[^a-z]/gi, '').toLowerCase();
  const text = typeof value === 'object' ? '' : String(value).trim();
  if (success.test(plain)) return /^(?:false|no)$/i.test(text) ? `\`${name}: ${text}\`` : undefined;
  if (failure.test(plain)) {
    const isFilled = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    return isFilled || !nothing.test(text) ? `\`${name}\`` : undefined;
  }
  const isFailure = /^(?:[45]\d\d|errors?|fail(?:ed|ure)?|exception|fault)$/i.test(text);
  return status.test(plain) && isFailure ? `\`${name}: ${text}\`` : undefined;
}
