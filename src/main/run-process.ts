import { Interruption, type StopSignal, stopSignals } from '../cli/cli-io.ts';
import { runCli } from '../cli/run-cli.ts';
import { openProcessIo } from './process-io.ts';

/**
 * Runs the command line of this process and sets its exit code. The first SIGINT or SIGTERM asks the command to stop at a
 * safe place; the second ends the process at once.
 */
export async function runProcess(self: NodeJS.Process): Promise<void> {
  const stopping = new AbortController();
  const stop = (signal: StopSignal) => {
    const interruption = new Interruption(signal);
    if (stopping.signal.aborted) self.exit(interruption.exitCode);
    stopping.abort(interruption);
  };
  for (const signal of stopSignals) self.on(signal, stop);
  for (const output of [self.stdout, self.stderr]) output.on('error', ignoreClosedPipe);
  const io = openProcessIo(self, stopping.signal);
  self.exitCode = await runCli(self.argv.slice(2), io);
  for (const signal of stopSignals) self.off(signal, stop);
  // Our resources are closed, but a library may still wait, for example for Redis.
  if (stopping.signal.aborted) self.exit();
}

/** Ignores a closed output pipe (`rollcall runs | head`), so that a run in progress continues. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
