import { RollcallError } from '../core/errors.ts';

/** Exit codes of a process that a signal ended: 128 and the signal's number. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof exitCodes;

export const stopSignals = Object.keys(exitCodes) as readonly StopSignal[];

/** Somebody wants the process to stop. What was under way stays where it is and goes on with the next run. */
export class Interruption extends RollcallError {
  override readonly name = 'Interruption';
  readonly exitCode: number;

  constructor(signal: StopSignal) {
    super(`stopped by ${signal} before it was done`, { code: 'CANCELLED' });
    this.exitCode = exitCodes[signal];
  }
}
