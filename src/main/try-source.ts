import type { EngineIo, Sync } from '../engine/engine-io.ts';
import { trySource as readSource } from '../engine/try-source.ts';
import type { SourceTrial, TrialOptions } from '../ports/source-trial.ts';
import { sourceTokenName } from './open-source-tokens.ts';

/** `trySource` of the engine, and whether a rotating token of the source was presented on the way. */
export async function trySource(
  sync: Sync,
  options: TrialOptions,
  io: EngineIo,
  signal: AbortSignal,
): Promise<SourceTrial> {
  const name = sourceTokenName(sync.settings.name);
  const before = await io.store.tokens.get(name);
  const trial = await readSource(sync, options, io, signal);
  const after = await io.store.tokens.get(name);
  return { ...trial, isTokenPresented: after?.generation !== before?.generation };
}
