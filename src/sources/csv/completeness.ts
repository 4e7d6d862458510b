import type { ReadEnd } from '../../core/plan/snapshot.ts';
import type { CsvFile } from './csv-file.ts';
import { markerProblem } from './marker.ts';
import { newerBefore, stampOf } from './places/newest.ts';
import type { Trailer } from './rows/trailer.ts';

/** How the file proves that it is complete, with the required settings. */
export type CompletenessRule =
  | { readonly kind: 'stable'; readonly previousRows: number | undefined }
  | { readonly kind: 'marker' }
  | { readonly kind: 'trailer'; readonly prefix: string };

/** Facts that a read to the end has shown. */
export interface FileFacts {
  /** Data rows in the file, including broken ones, without header, blank rows and trailer. */
  readonly rows: number;
  /** Records that were returned: fewer in a point read. */
  readonly yielded: number;
  readonly trailer: Trailer | undefined;
  /** Findings for the operator that do not make the read incomplete. */
  readonly notes: readonly string[];
  /** Signs of a cut file or of hidden rows, found during the read. */
  readonly doubts: readonly string[];
}

/** A stable file may lose this share of the last complete read's rows before it counts as cut. */
const stableShare = 0.9;

/** Decides whether the file was read completely. */
export async function judgeCompleteness(
  rule: CompletenessRule,
  file: CsvFile,
  facts: FileFacts,
  previousStamp: string | undefined,
): Promise<ReadEnd> {
  const reasons = [...facts.doubts];
  if (facts.rows === 0) reasons.push('the file holds no employees');
  const proof = await proofOf(rule, file, facts);
  reasons.push(...proof.problems);
  const newer = file.rank && previousStamp && newerBefore(file.rank, previousStamp);
  if (newer)
    reasons.push(`${file.name} is older than the file of the last complete read, ${newer}: was that one removed?`);
  // Last, so that it also finds a change during the steps above.
  reasons.push(...(await file.movements()));
  const notes = facts.notes.length === 0 ? {} : { notes: facts.notes };
  if (reasons.length > 0) {
    if (proof.isShrunk !== true || reasons.length > 1)
      return { complete: false, rows: facts.yielded, reasons, ...notes };
    return {
      complete: false,
      rows: facts.yielded,
      reasons: [`${reasons.join()}. ${shrunkAdvice}`],
      isShrunk: true,
      ...notes,
    };
  }
  const stamp = stampOf(file.digest(), file.rank);
  const written = file.writtenAtNs === undefined ? {} : { asOf: Number(file.writtenAtNs / 1_000_000n) };
  return { complete: true, rows: facts.yielded, evidence: proof.evidence, stamp, ...written, ...notes };
}

interface Proof {
  readonly evidence: string;
  readonly problems: readonly string[];
  /** Whether one of the problems is that the file lost too many rows. */
  readonly isShrunk?: true;
}

async function proofOf(rule: CompletenessRule, file: CsvFile, facts: FileFacts): Promise<Proof> {
  switch (rule.kind) {
    case 'stable':
      return proveStable(rule.previousRows, facts);
    case 'marker':
      return proveByMarker(file, facts);
    case 'trailer':
      return proveByTrailer(rule.prefix, facts);
  }
}

/** Only a file whose size is the one doubt can be approved. */
const shrunkAdvice = 'If that is correct, approve the run, or use complete: marker or complete: trailer';

/** A last row without line end is among the doubts of the rows. */
function proveStable(previousRows: number | undefined, facts: FileFacts): Proof {
  const problems: string[] = [];
  const isShrunk = previousRows !== undefined && facts.rows < previousRows * stableShare;
  if (isShrunk) {
    problems.push(`the file has ${facts.rows} rows, less than 90 % of the ${previousRows} of the last complete read`);
  }
  const evidence = `the file did not change, ends with a line end and has ${facts.rows} rows`;
  return { evidence, problems, ...(isShrunk ? { isShrunk } : {}) };
}

async function proveByMarker(file: CsvFile, facts: FileFacts): Promise<Proof> {
  const marker = await file.marker();
  if (typeof marker === 'string') return { evidence: '', problems: [marker] };
  const digests = [file.digest(), ...(file.packedDigest === undefined ? [] : [file.packedDigest])];
  const problem = markerProblem(marker, { rows: facts.rows, digests, writtenAtNs: file.writtenAtNs });
  const agreed = [marker.rows !== undefined && 'its row count', marker.sha256 !== undefined && 'its sha256'];
  const also = agreed.filter((text) => text !== false).join(' and ');
  return {
    evidence: `the marker ${marker.name} is there${also === '' ? '' : ` and ${also} agrees`}`,
    problems: problem === undefined ? [] : [problem],
  };
}

function proveByTrailer(prefix: string, { trailer, rows }: FileFacts): Proof {
  if (trailer === undefined) {
    return { evidence: '', problems: [`the last record is not a trailer beginning with ${prefix}: the file is cut`] };
  }
  const problem = `the trailer in line ${trailer.line} says ${trailer.rows} rows, the file has ${rows}`;
  return { evidence: `the trailer says ${trailer.rows} rows`, problems: trailer.rows === rows ? [] : [problem] };
}
