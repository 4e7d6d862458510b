import type { AppIo } from '../../app/app-io.ts';
import { changeTokens, readTokens } from '../../app/connections.ts';
import { type LearnReport, learnConnection } from '../../app/learn.ts';
import { usageError } from '../../core/run/errors.ts';
import { formatDuration, formatInstant } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import { type LearnedValue, type LearnedValues, type LearnLine, learnedSettings } from '../../ports/api.ts';
import type { TokenStatus } from '../../ports/tokens.ts';
import { connectionView } from '../../views/connections.ts';
import { type AppOptions, printDeclined, type Shell } from '../shell.ts';
import { cleanLine, type Style } from '../terminal.ts';

async function printToken(
  shell: Shell,
  options: AppOptions,
  ask: (app: AppIo) => Promise<TokenStatus>,
): Promise<number> {
  const { report, syncs } = await shell.withApp(options, async (app) => ({ report: await ask(app), syncs: app.syncs }));
  return shell.answer(connectionView(report, syncs), renderToken(report, shell.io.clock.now(), shell.style));
}

export function showTokens(shell: Shell, name: string): Promise<number> {
  return printToken(shell, {}, (app) => readTokens(app, name));
}

export function refresh(shell: Shell, name: string): Promise<number> {
  return printToken(shell, { mayPresentSeed: true }, async (app) =>
    changeTokens(app, 'refresh', name, { ...(await shell.caller()), signal: shell.signal }),
  );
}

export async function revoke(shell: Shell, name: string): Promise<number> {
  const question = `Revoke the token of ${name}? Its syncs stop until "token refresh" or a new token.`;
  if (!(await shell.confirm(question))) return printDeclined(shell);
  return printToken(shell, {}, async (app) =>
    changeTokens(app, 'revoke', name, { ...(await shell.caller()), signal: shell.signal }),
  );
}

/** Renders the state of a connection's tokens and what to do. Contains no secret. */
function renderToken(report: TokenStatus, now: number, { colors }: Style): string {
  const { connection, state, generation, issuedAt, expiresAt, attempts, retryAt, reason, advice } = report;
  const isWell = state === 'ready' || state === 'static';
  const lines = [`${colors.bold(connection)}: ${isWell ? colors.green(state) : colors.yellow(state)}`];
  if (generation > 0) lines.push(`  generation ${generation}`);
  if (issuedAt !== undefined) lines.push(`  issued ${formatInstant(issuedAt)}`);
  if (expiresAt !== undefined) {
    const apart = formatDuration(Math.abs(expiresAt - now));
    lines.push(`  ${expiresAt > now ? `expires in ${apart}` : `expired ${apart} ago`}, ${formatInstant(expiresAt)}`);
  }
  if (attempts > 0) {
    const refreshes = attempts === 1 ? 'refresh' : 'refreshes in a row';
    const next = retryAt === undefined ? '' : nextTry(retryAt, now);
    lines.push(`  ${attempts} ${refreshes} returned no usable token pair${next}`);
  }
  if (reason !== undefined) lines.push(`  ${cleanLine(reason)}`);
  if (advice !== '') lines.push(`  ${cleanLine(advice)}`);
  return lines.join('\n');
}

function nextTry(retryAt: number, now: number): string {
  const when =
    retryAt <= now ? 'when a token is needed' : `in ${formatDuration(retryAt - now)}, ${formatInstant(retryAt)}`;
  return `; next try ${when}`;
}

export async function runLearn(
  shell: Shell,
  connection: string,
  { user, yes = false }: { readonly user?: string; readonly yes?: boolean },
): Promise<number> {
  if (!yes && (shell.isJson || shell.io.ask === undefined)) {
    const message = `learn ${connection} writes a test user and removes it. Standard input is not a terminal, so add --yes`;
    throw usageError(message);
  }
  const caller = await shell.caller();
  const say = (text: string): void => void (shell.isJson || shell.io.stderr.write(`${cleanLine(text)}\n`));
  const report = await shell.withApp({ hasEffect: true, mayPresentSeed: true }, (app) =>
    learnConnection(app, {
      ...{ ...caller, connection, say, signal: shell.signal },
      ...given({ user }),
      confirm: (write) => shell.confirm(`Send to ${connection}: ${cleanLine(write)}?`),
      onLine: (line) => shell.print(renderLine(line, shell.style)),
    }),
  );
  const { stopped, left, lines, learned } = report;
  const isWell = stopped === undefined && left === undefined;
  const unknown = unknownOf(lines);
  const json = {
    ...{ ok: isWell, connection, user: report.user, lines, learned, unknown: unknown.map(({ setting }) => setting) },
    ...{ dialect: dialectBlock(learned), settle: settleBlock(learned) ?? null },
    ...{ stopped: stopped ?? null, left: left ?? null },
  };
  return shell.answer(json, renderReport(report, shell.style), isWell ? 0 : stopped === undefined ? 4 : 1);
}

/** Settings without a value, each once. */
function unknownOf(lines: readonly LearnLine[]): readonly LearnLine[] {
  const learned = new Set(lines.filter(({ value }) => value !== undefined).map(({ setting }) => setting));
  const unknown = lines.filter(({ setting }) => !learned.has(setting));
  return unknown.filter(({ setting }, i) => unknown.findIndex((line) => line.setting === setting) === i);
}

/** Renders one finding: `✓ csv.emptyCell: keeps  the cell of area was empty, and the field was kept`. */
function renderLine({ setting, value, evidence }: LearnLine, { colors }: Style): string {
  const found = value === undefined ? colors.dim('?') : colors.green('✓');
  const shown = value === undefined ? '' : `: ${yamlOf(value)}`;
  return `${found} ${colors.bold(`${setting}${cleanLine(shown)}`)}  ${cleanLine(evidence)}`;
}

function renderReport({ connection, user, stopped, left, lines, learned }: LearnReport, { colors }: Style): string {
  const parts: string[] = [];
  if (stopped !== undefined) parts.push(`${colors.red('stopped:')} ${cleanLine(stopped)}.`);
  if (left !== undefined) {
    parts.push(
      `${colors.yellow('left on the platform:')} ${cleanLine(left.user)} (${left.state}): ${cleanLine(left.why)}. Remove it by hand.`,
    );
  }
  if (Object.keys(learned).some((setting) => !setting.startsWith('settle.'))) {
    parts.push(
      `In the configuration, below connections.${connection}:\n\n${dialectBlock(learned).split('\n').map(cleanLine).join('\n')}`,
    );
  }
  const settle = settleBlock(learned);
  if (settle !== undefined) parts.push(`Below each sync of ${connection}:\n\n${settle}`);
  const unknown = unknownOf(lines);
  if (unknown.length > 0) {
    const rows = unknown.map(({ setting, evidence }) => `  ${setting}  ${cleanLine(evidence)}`);
    parts.push(`Not determined:\n${rows.join('\n')}\nSee docs/platform-assumptions.md.`);
  }
  if (stopped === undefined && left === undefined) parts.push(`${user} is removed, and no other user has changed.`);
  return `\n${parts.join('\n\n')}`;
}

/** Renders the learned settings as the block of the configuration, in the order of the reference. */
export function dialectBlock(learned: LearnedValues): string {
  const lines = ['dialect:'];
  let open = '';
  for (const setting of learnedSettings) {
    const value = learned[setting];
    if (value === undefined || setting.startsWith('settle.')) continue;
    const [section = '', key] = setting.split('.');
    if (key !== undefined && section !== open) lines.push(`  ${section}:`);
    open = key === undefined ? '' : section;
    lines.push(key === undefined ? `  ${section}: ${yamlOf(value)}` : `    ${key}: ${yamlOf(value)}`);
  }
  return lines.length === 1 ? '' : lines.join('\n');
}

/** Returns the key for the syncs; undefined where the default is long enough. */
function settleBlock(learned: LearnedValues): string | undefined {
  const value = learned['settle.visibleWithin'];
  return value === undefined || value === '2m' ? undefined : `settle: { visibleWithin: ${value} }`;
}

/** Words that YAML 1.1 or 1.2 reads as something else than text. */
const yamlWord = /^(y|n|yes|no|on|off|true|false|null)$/i;

/** Writes a value as YAML: plain where that is safe, else as JSON, which is YAML too. */
function yamlOf(value: LearnedValue): string {
  if (typeof value === 'object') return `[${value.map(yamlOf).join(', ')}]`;
  const isPlain =
    typeof value === 'number' || (/^[A-Za-z][\w /-]*\w$|^[A-Za-z]$|^\d+[smhd]$/.test(value) && !yamlWord.test(value));
  return isPlain ? String(value) : JSON.stringify(value);
}
