import { type RollcallError, usageError } from '../../core/run/errors.ts';
import { nearest } from '../../core/run/problem-words.ts';
import { type OperationId, operationIds } from '../../platform/table/index.ts';
import { listQuirks } from '../quirks.ts';
import { type FaultKind, type FaultKindName, faultKinds } from './fault-kinds.ts';

export type FaultTarget = OperationId | '*' | 'file' | 'platform';

/** Which calls of its target a fault strikes. Calls count from 1 when the fault is set. */
export type FaultWhen =
  | { readonly kind: 'calls'; readonly from: number; readonly to: number }
  | { readonly kind: 'every'; readonly nth: number }
  | { readonly kind: 'share'; readonly percent: number };

export type FaultSpec = ReturnType<typeof parseFault>;

/** The grammar, for help texts. */
export const faultGrammar =
  'TARGET:KIND[=ARGUMENT][;retry-after=VALUE][@WHEN], or KIND=ARGUMENT for the platform as a whole; ' +
  'TARGET is an operation, * for every operation, or file for the processing of files; ' +
  'WHEN is 2 (the second call), 1-3, 4- (from the fourth on), /3 (every third) or 10% (by chance); default: always';

/** Returns everything that `sandbox --fault` and `--quirk` take, with the defaults. */
export function listFaults() {
  return { grammar: faultGrammar, operations: operationIds, kinds: faultKinds, quirks: listQuirks() };
}

/** Parses one fault. Throws USAGE with the allowed values for an invalid text. */
export function parseFault(text: string) {
  const shape = /^(?:(?<target>[^:=@;]+):)?(?<kind>[^:=@;]+)(?<rest>.*)$/s.exec(text.trim())?.groups;
  if (shape === undefined) throw refusal(text, 'it has no kind');
  const target = readTarget(text, shape.target);
  const kind = readKind(text, shape.kind ?? '');
  checkReach(text, target, kind);
  const { argument, retryAfter, when } = splitRest(text, shape.rest ?? '', kind);
  checkArgument(text, kind, argument);
  return {
    /** As written. */
    text: text.trim(),
    target,
    kind: kind.kind as FaultKindName,
    argument,
    retryAfter,
    when: readWhen(text, when),
  };
}

function readTarget(text: string, name: string | undefined): FaultTarget {
  if (name === undefined) return 'platform';
  const targets: readonly FaultTarget[] = [...operationIds, '*', 'file'];
  const target = targets.find((entry) => entry === name);
  if (target === undefined) throw unknownWord(text, `"${name}" is not an operation`, nearest(name, targets));
  return target;
}

function readKind(text: string, name: string): FaultKind {
  const kind = faultKinds.find((entry) => entry.kind === name);
  if (kind !== undefined) return kind;
  const names = faultKinds.map((entry) => entry.kind);
  throw unknownWord(text, `"${name}" is not a kind of fault`, nearest(name, names));
}

function checkReach(text: string, target: FaultTarget, { kind, reach }: FaultKind): void {
  const isOperation = target !== 'file' && target !== 'platform';
  if (reach === 'platform') {
    if (target === 'platform' || target === '*') return;
    throw refusal(text, `${kind} concerns the platform as a whole: write it without an operation`);
  }
  if (reach === 'file') {
    if (target === 'file') return;
    throw refusal(text, `${kind} concerns the processing of files: write file:${kind}`);
  }
  if (reach === 'any' ? isOperation : reach.includes(target)) return;
  throw refusal(text, `${kind} needs ${reach === 'any' ? 'an operation or *' : reach.join(', ')} in front of it`);
}

/** Splits `=argument;retry-after=V@when`. For text arguments, only a valid `@when` at the end counts. */
function splitRest(text: string, rest: string, kind: FaultKind) {
  const at = /@(?<when>\d+%|\d+-\d*|\d+|\/\d+)$/.exec(rest);
  const beforeWhen = at === null ? rest : rest.slice(0, at.index);
  const after = /;retry-after=(?<value>[^;]*)$/.exec(beforeWhen);
  const body = after === null ? beforeWhen : beforeWhen.slice(0, after.index);
  if (kind.argument !== 'text' && /[@;]/.test(body)) throw refusal(text, `"${body}" is not valid`);
  if (body !== '' && !body.startsWith('=')) throw refusal(text, `"${body}" is not valid; an argument follows =`);
  const argument = body === '' ? undefined : body.slice(1);
  return { argument, retryAfter: after?.groups?.value, when: at?.groups?.when };
}

function checkArgument(text: string, { kind, argument }: FaultKind, value: string | undefined): void {
  const isNumber = value !== undefined && /^-?\d+$/.test(value);
  const isFine = {
    none: value === undefined,
    number: isNumber,
    'optional-number': value === undefined || isNumber,
    text: value !== undefined && value !== '',
    status: isNumber && Number(value) >= 200 && Number(value) <= 599,
  }[argument];
  if (isFine) return;
  const wanted = argument === 'none' ? 'takes no argument' : `needs an argument that is a ${argument}: ${kind}=…`;
  throw refusal(text, `${kind} ${wanted}`);
}

function readWhen(text: string, when: string | undefined): FaultWhen {
  if (when === undefined) return { kind: 'calls', from: 1, to: Number.POSITIVE_INFINITY };
  if (when.endsWith('%')) return { kind: 'share', percent: Number(when.slice(0, -1)) };
  if (when.startsWith('/')) {
    const nth = Number(when.slice(1));
    if (nth === 0) throw refusal(text, '/0 matches no call: write /2 or more');
    return { kind: 'every', nth };
  }
  const [from = '', to] = when.split('-');
  const range = {
    from: Number(from),
    to: to === undefined ? Number(from) : to === '' ? Number.POSITIVE_INFINITY : Number(to),
  };
  if (range.from === 0 || range.to < range.from) throw refusal(text, `@${when} matches no call: calls count from 1`);
  return { kind: 'calls', ...range };
}

function unknownWord(text: string, why: string, guess: string | undefined): RollcallError {
  const hint = guess === undefined ? '' : `Did you mean ${guess}? `;
  const message = `The fault "${text}" is not valid: ${why}. ${hint}To list the faults: rollcall sandbox --list-faults`;
  return usageError(message);
}

function refusal(text: string, why: string): RollcallError {
  return usageError(`The fault "${text}" is not valid: ${why}. The form is ${faultGrammar}.`);
}
