import { type Command, InvalidArgumentError, Option } from 'commander';
import type { QuietRequest } from '../app/app.ts';
import { countOf } from '../core/run/count-of.ts';
import { parseDuration } from '../core/run/duration.ts';
import type { CommandHost } from './command.ts';
import { instant } from './json-reports.ts';
import type { Shell } from './shell.ts';
import { addSignatureOptions, type SignatureOptions, signatureOf } from './signature.ts';

const dayMs = 86_400_000;
const longestMuteMs = 30 * dayMs;

/** Adds `alerts ack`, `alerts mute` and `alerts unmute`. */
export function addQuietCommands(alerts: Command, host: CommandHost): void {
  const add = (name: QuietRequest['kind'], description: string): Command => {
    const command = alerts.command(name).description(description).argument('<name>', 'name of the sync or connection');
    return addSignatureOptions(command);
  };
  add('ack', 'acknowledge the open problems: no reminders and no escalation until they get worse').action(
    host.action((shell, name: string, options: SignatureOptions) => quiet(shell, name, { kind: 'ack' }, options)),
  );
  add('mute', 'send no alerts for a period; problems that are still open at its end are sent then')
    .addOption(
      new Option('--for <duration>', 'how long, such as 30m or 4h; at most 30d')
        .argParser(parseMute)
        .default(4 * 3_600_000, '4h'),
    )
    .action(
      host.action((shell, name: string, options: SignatureOptions & { readonly for: number }) =>
        quiet(shell, name, { kind: 'mute', forMs: options.for }, options),
      ),
    );
  add('unmute', 'end a mute').action(
    host.action((shell, name: string, options: SignatureOptions) => quiet(shell, name, { kind: 'unmute' }, options)),
  );
}

function parseMute(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms <= 0 || ms > longestMuteMs) {
    throw new InvalidArgumentError('It must be a duration of at most 30d, such as 30m or 4h.');
  }
  return ms;
}

async function quiet(shell: Shell, name: string, request: QuietRequest, options: SignatureOptions): Promise<number> {
  const { by, signed } = signatureOf(shell, options);
  return shell.withApp({}, async (app) => {
    const report = await app.quietAlerts(name, request, { by, ...signed });
    shell.printJson({ ...report, until: instant(report.until) });
    for (const { subject, open } of report.subjects) {
      const problems = countOf(open, 'open problem');
      const about = `${subject.kind} ${subject.name}`;
      const words = {
        ack: open === 0 ? `${about} has no open problem` : `${about}: ${problems} acknowledged`,
        mute: `${about} is muted until ${instant(report.until)}; ${problems}`,
        unmute: `${about} is not muted; ${problems}`,
      };
      shell.print(words[request.kind]);
    }
    return 0;
  });
}
