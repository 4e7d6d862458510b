import type { AppIo } from '../../src/app/app-io.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { openApp } from '../../src/main/app.ts';
import { type Engine, openEngine } from '../../src/main/engine.ts';
import { newUlid } from '../../src/main/process.ts';
import type { Checkpoint, Clock, Logger, Uptime } from '../../src/ports/runtime.ts';
import type { Store } from '../../src/ports/store.ts';
import { knownKinds } from '../../src/sources/kinds.ts';

export interface HereOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly uptime?: Uptime;
  readonly checkpoint?: Checkpoint;
  /** As a command without effect opens it. */
  readonly isReadOnly?: boolean;
  /** Stands in front of the store that the engine uses. */
  readonly watchStore?: (store: Store) => Store;
}

/** The product over one configuration file, as a command of the command line would open it. Must be closed. */
export async function openHere(path: string, options: HereOptions): Promise<{ app: AppIo; engine: Engine }> {
  const { clock, logger, uptime, checkpoint = () => {}, isReadOnly = false } = options;
  const { watchStore = (store) => store } = options;
  const config = await loadConfig(path, { env: {}, sourceKinds: knownKinds, expressions: createExpressions() });
  const parts = { clock, logger, newId: newUlid, checkpoint, isReadOnly, mayPresentSeed: true };
  const opened = await openEngine(config, uptime === undefined ? parts : { ...parts, uptime });
  const engine = { ...opened, io: { ...opened.io, store: watchStore(opened.io.store) } };
  return { app: openApp(config, engine), engine };
}
