import { RollcallError } from '../core/run/errors.ts';

/** Exit codes of a process that a signal ended: 128 plus the signal's number. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof exitCodes;

export const stopSignals = Object.keys(exitCodes) as readonly StopSignal[];

/** The process was asked to stop. The next run continues the work in progress. */
export class Interruption extends RollcallError {
  override readonly name = 'Interruption';
  readonly exitCode: number;

  constructor(signal: StopSignal) {
    super(`stopped by ${signal} before the command had finished`, { code: 'CANCELLED' });
    this.exitCode = exitCodes[signal];
  }
}
