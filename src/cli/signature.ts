import type { Command } from 'commander';
import { signedBy } from '../app/audit.ts';
import type { Shell } from './shell.ts';

export interface SignatureOptions {
  readonly as?: string;
  readonly reason?: string;
}

/** Adds `--reason` and `--as` to a command whose use the audit keeps. */
export function addSignatureOptions(command: Command): Command {
  return command
    .option('--reason <text>', 'reason, for the audit')
    .option('--as <name>', 'name of the person who decides, for the audit; default: your login on this machine');
}

/** Who the audit names, and the parts that a signed order has beside it. */
export function signatureOf({ io }: Shell, { as, reason }: SignatureOptions) {
  return signedBy(io.operator, as, reason);
}
