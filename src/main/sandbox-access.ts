import type { SandboxAccess } from '../cli/cli-io.ts';
import { renderOpenApi } from '../platform/table/open-api.ts';
import { operationIds } from '../platform/table/operations.ts';
import { faultKinds } from '../sandbox/faults/fault-kinds.ts';
import { faultGrammar } from '../sandbox/faults/parse-fault.ts';
import { listQuirks } from '../sandbox/quirks.ts';
import { systemClock } from './system.ts';

/** The sandbox for the command line. Its web server is loaded only when it starts. */
export const sandboxAccess: SandboxAccess = {
  async start(request) {
    const { startByCommand } = await import('../sandbox/start-by-command.ts');
    return startByCommand({ ...request, now: systemClock.now });
  },
  openApi: renderOpenApi,
  faults: () => ({ grammar: faultGrammar, operations: operationIds, kinds: faultKinds, quirks: listQuirks() }),
};
