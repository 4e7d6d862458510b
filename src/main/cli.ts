#!/usr/bin/env -S node --max-semi-space-size=8 --max-old-space-size=1024
// The flags keep memory small: V8 grows its heap by what it may grow to (docs/decisions/003-plan-index.md).
import { enableCompileCache } from 'node:module';

// Before anything else is loaded, so that the second command starts faster than the first.
enableCompileCache();
const { runProcess } = await import('./run-process.ts');
await runProcess(process);
