import { PlatformError, RollcallError } from '../../core/run/errors.ts';
import type { LearnEnd, LearnLine } from '../../ports/api.ts';
import { emailOf, type Lab, type LabOptions, nobodyOf, openLab, Stopped } from './lab.ts';
import { type Experiment, readings } from './readings.ts';
import { visibleWithin } from './verdicts.ts';
import { Declined, firstWrite, latenessOf, writings } from './writings.ts';

/**
 * Finds out what the contract leaves open, with one test user and files of one row. Yields each finding, and returns what
 * is left. It may never hurt: no file has another delimiter, mark or first column than configured, and nothing else is
 * written before two counted scans have shown that the first file touched no other user. Removes the user of an earlier
 * `learn` first, and its own at the end. Throws `USAGE`, with nothing written, when the platform knows the test user.
 */
export async function* learnPlatform(options: LabOptions): AsyncGenerator<LearnLine, LearnEnd> {
  const lab = openLab(options);
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
    await lab.begin([user, nobodyOf(lab), emailOf(user)]);
    let stopped: string | undefined;
    try {
      yield* made(firstWrite, lab);
      await lab.guard();
      for (const experiment of writings) yield* made(experiment, lab);
      const { latestMs } = lab;
      yield { setting: 'settle.visibleWithin', value: visibleWithin(latestMs), evidence: latenessOf(latestMs) };
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof RollcallError && !(error instanceof PlatformError)) throw error;
      if (!(error instanceof Stopped || error instanceof PlatformError)) throw error;
      stopped = error.message;
    }
    if (lab.notes.wroteAt === undefined) return { stopped: stopped ?? 'nothing was written' };
    desk.say(`removing ${user}`);
    const left = await lab.cleanUp(user, lab.notes.wroteAt);
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
  const { settings, question, writes, run } = experiment;
  const { desk, signal, connection } = lab.order;
  if (experiment.isNeeded?.(connection.dialect) === false) return;
  desk.say(writes === 'nothing' ? question : `${question} Writes: ${writes}`);
  const known = new Set<string>();
  const unknown = (evidence: string) =>
    settings.filter((setting) => !known.has(setting)).map((setting): LearnLine => ({ setting, evidence }));
  try {
    for (const line of await run(lab)) {
      known.add(line.setting);
      yield line;
    }
  } catch (error) {
    signal.throwIfAborted();
    const isFirst = experiment === firstWrite;
    if (error instanceof Declined) {
      if (isFirst) throw new Stopped('the first file was declined');
      yield* unknown('the write was declined');
      return;
    }
    if (isFirst || !(error instanceof PlatformError)) throw error;
    yield* unknown(`the experiment failed: ${error.message}`);
  }
}
