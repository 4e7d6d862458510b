import { operationIds } from '../../platform/table/operations.ts';
import { listQuirks } from '../quirks.ts';
import { faultKinds } from './fault-kinds.ts';
import { faultGrammar } from './parse-fault.ts';

/** Returns everything that `sandbox --fault` and `--quirk` take, with the defaults. */
export function listFaults() {
  return { grammar: faultGrammar, operations: operationIds, kinds: faultKinds, quirks: listQuirks() };
}
