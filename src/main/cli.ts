#!/usr/bin/env -S node --max-semi-space-size=8 --max-old-space-size=1024
// The flags limit memory, because V8 grows its heap up to its limit (docs/decisions/003-plan-index.md).
import { enableCompileCache } from 'node:module';

// Runs before other imports, so that later commands start faster than the first.
enableCompileCache();
const { runProcess } = await import('./process.ts');
await runProcess(process);
