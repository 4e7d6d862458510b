import type { User } from '../../core/person/fields.ts';
import { PlatformError } from '../../core/run/errors.ts';
import { ageOf } from '../../core/run/formats.ts';
import { given } from '../../core/run/given.ts';
import type { LearnEnd } from '../../ports/api.ts';
import { type Experiment, emailOf, firstWrite, isOff, readings, writings } from './experiments.ts';
import { Declined, Lab, type LabOptions, patience, Stopped, testNames } from './lab.ts';
import { visibleWithin } from './verdicts.ts';

/**
 * Finds out what the contract leaves open, with one test user and files of one row. Tells each finding, and returns what
 * is left. It may never hurt: no file has another delimiter, mark or first column than configured, and nothing else is
 * written before two counted scans have shown that the first file touched no other user. Removes the user of an earlier
 * `learn` first, and its own at the end. Throws `USAGE`, with nothing written, when the platform knows the test user.
 */
export async function learnPlatform(options: LabOptions): Promise<LearnEnd> {
  const lab = new Lab(options);
  const { desk, before, user } = options;
  try {
    for (const experiment of readings) await make(experiment, lab);
    if (before !== undefined) {
      desk.say(`cleaning up ${before.user}, the test user of an earlier learn`);
      const left = await cleanUp(lab, before.user, before.writtenAt);
      if (left !== undefined && left.state !== 'disabled') {
        return { stopped: 'the test user of an earlier learn could not be removed', left };
      }
      if (left !== undefined) desk.say(`${left.user} stays on the platform, disabled: ${left.why}`);
      await desk.cleaned();
    }
    desk.say('scanning all users');
    await lab.begin([user, lab.nobody, emailOf(user)]);
    let stopped: string | undefined;
    try {
      await make(firstWrite, lab);
      await lab.guard();
      for (const experiment of writings) await make(experiment, lab);
      const { latestMs = 0 } = lab;
      const evidence =
        latestMs < 2000
          ? 'writes showed at once'
          : `a write became visible ${ageOf(latestMs)} after the end of its file`;
      desk.found({ setting: 'settle.visibleWithin', value: visibleWithin(latestMs), evidence });
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof Stopped || error instanceof PlatformError)) throw error;
      stopped = error.message;
    }
    if (lab.wroteAt === undefined) return { stopped: stopped ?? 'nothing was written' };
    desk.say(`removing ${user}`);
    const left = await cleanUp(lab, user, lab.wroteAt);
    if (left === undefined || left.state === 'disabled') await desk.cleaned();
    stopped ??= await lab.guard().then(
      () => undefined,
      (error: unknown) => (error instanceof Stopped ? error.message : Promise.reject(error)),
    );
    return given({ stopped, left });
  } finally {
    await lab.close();
  }
}

/** Makes one experiment. A write that is declined, or an answer that is no answer, ends it alone. */
async function make(experiment: Experiment, lab: Lab): Promise<void> {
  const { settings, question, writes } = experiment;
  const { desk, signal, connection } = lab.order;
  if (experiment.isNeeded?.(connection.dialect) === false) return;
  desk.say(writes === undefined ? question : `${question} Writes: ${writes}`);
  try {
    const findings = await experiment.run(lab);
    for (const [i, setting] of settings.entries()) {
      const finding = findings[i];
      if (finding?.value !== undefined) lab.use(setting, finding.value);
      if (finding !== undefined) desk.found({ setting, ...finding });
    }
  } catch (error) {
    signal.throwIfAborted();
    const isFirst = experiment === firstWrite;
    if (isFirst && error instanceof Declined) throw new Stopped('the first file was declined');
    if (isFirst || !(error instanceof PlatformError || error instanceof Declined)) throw error;
    const evidence = error instanceof Declined ? 'the write was declined' : `the experiment failed: ${error.message}`;
    for (const setting of settings) desk.found({ setting, evidence });
  }
}

/** Removes a test user. Returns what is left of it, if anything. */
async function cleanUp(lab: Lab, user: string, writtenAt: number | undefined): Promise<LearnEnd['left']> {
  const { desk, signal, connection } = lab.order;
  // A file of a process that died may still be applied.
  const untilMs = writtenAt === undefined ? 0 : writtenAt + patience.firstMs - connection.clock.now();
  const lookup = await lab.poll(async () => {
    const found = await lab.find(user);
    return found.found === false ? undefined : found;
  }, untilMs);
  if (lookup === undefined) return undefined;
  if (lookup.found === 'unclear') return { user, state: 'unknown', why: lookup.reason };
  const { rawIdentification = user, enabled } = lookup.user;
  const state = enabled ? 'enabled' : 'disabled';
  if (!isTestUser(lookup.user)) return { user, state, why: 'its names are no longer those that learn set' };
  const removal = await desk.write(`the removal of ${user}, without blacklist`, () =>
    lab
      .platform()
      .remove(rawIdentification, { blacklist: false }, signal)
      .then(() => 'sent', refusalOf),
  );
  if (removal === undefined) return { user, state, why: 'its removal was declined' };
  if (removal === 'sent') {
    const isGone = async () => ((await lab.find(user)).found === false ? true : undefined);
    if (await lab.poll(isGone, lab.patienceMs)) return undefined;
    return { user, state: 'unknown', why: 'the platform accepted its removal, and still shows it' };
  }
  const why = `the platform refused the removal (${removal})`;
  if (!enabled) return { user, state, why };
  const isDisabled = await lab.send(`D ${user}`, { kind: 'disable', identification: user }, isOff).then(
    (sent) => sent.user !== undefined,
    (error: unknown) => (error instanceof Declined ? false : Promise.reject(error)),
  );
  return { user, state: isDisabled ? 'disabled' : 'enabled', why };
}

/** What came of a removal that the platform did not confirm: its refusal, or `sent` where it may be applied. */
function refusalOf(error: unknown): string {
  if (!(error instanceof PlatformError)) throw error;
  return error.effect === 'unknown' ? 'sent' : String(error.status ?? error.code);
}

/** Whether the account has the names of a test user, or what a platform that cuts text keeps of them. */
function isTestUser({ fields }: User): boolean {
  const isOf = (name: 'firstName' | 'lastName') => testNames[name].startsWith(fields[name] ?? 'no name');
  return isOf('firstName') && isOf('lastName');
}
