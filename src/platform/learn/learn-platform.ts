import { PlatformError } from '../../core/run/errors.ts';
import { ageOf } from '../../core/run/formats.ts';
import type { LearnEnd, LearnLine } from '../../ports/api.ts';
import { type Experiment, emailOf, firstWrite, readings, writings } from './experiments.ts';
import { Declined, Lab, type LabOptions, Stopped } from './lab.ts';
import { visibleWithin } from './verdicts.ts';

/**
 * Finds out what the contract leaves open, with one test user and files of one row. Yields each finding, and returns what
 * is left. It may never hurt: no file has another delimiter, mark or first column than configured, and nothing else is
 * written before two counted scans have shown that the first file touched no other user. Removes the user of an earlier
 * `learn` first, and its own at the end. Throws `USAGE`, with nothing written, when the platform knows the test user.
 */
export async function* learnPlatform(options: LabOptions): AsyncGenerator<LearnLine, LearnEnd> {
  const lab = new Lab(options);
  const { desk, before, user } = options;
  try {
    for (const experiment of readings) yield* made(experiment, lab);
    if (before !== undefined) {
      desk.say(`cleaning up ${before.user}, the test user of an earlier learn`);
      const left = await lab.cleanUp(before.user, before.writtenAt);
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
      yield* made(firstWrite, lab);
      await lab.guard();
      for (const experiment of writings) yield* made(experiment, lab);
      const { latestMs = 0 } = lab;
      const evidence =
        latestMs < 2000 ? 'writes showed at once' : `a write showed ${ageOf(latestMs)} after the end of its file`;
      yield { setting: 'settle.visibleWithin', value: visibleWithin(latestMs), evidence };
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof Stopped || error instanceof PlatformError)) throw error;
      stopped = error.message;
    }
    if (lab.wroteAt === undefined) return { stopped: stopped ?? 'nothing was written' };
    desk.say(`removing ${user}`);
    const left = await lab.cleanUp(user, lab.wroteAt);
    if (left === undefined || left.state === 'disabled') await desk.cleaned();
    if (stopped === undefined)
      stopped = await lab.guard().then(
        () => undefined,
        (error: unknown) => (error instanceof Stopped ? error.message : Promise.reject(error)),
      );
    return { ...(stopped === undefined ? {} : { stopped }), ...(left === undefined ? {} : { left }) };
  } finally {
    await lab.close();
  }
}

/** Makes one experiment. A write that is declined, or an answer that is no answer, ends it alone. */
async function* made(experiment: Experiment, lab: Lab): AsyncGenerator<LearnLine, void> {
  const { settings, question, writes } = experiment;
  const { desk, signal, connection } = lab.order;
  if (experiment.isNeeded?.(connection.dialect) === false) return;
  desk.say(writes === undefined ? question : `${question} Writes: ${writes}`);
  try {
    const findings = await experiment.run(lab);
    for (const [i, setting] of settings.entries()) {
      const finding = findings[i];
      if (finding?.value !== undefined) lab.use(setting, finding.value);
      if (finding !== undefined) yield { setting, ...finding };
    }
  } catch (error) {
    signal.throwIfAborted();
    const isFirst = experiment === firstWrite;
    if (isFirst && error instanceof Declined) throw new Stopped('the first file was declined');
    if (isFirst || !(error instanceof PlatformError || error instanceof Declined)) throw error;
    const evidence = error instanceof Declined ? 'the write was declined' : `the experiment failed: ${error.message}`;
    for (const setting of settings) yield { setting, evidence };
  }
}
