#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Before anything else is loaded, so that the second command starts faster than the first.
enableCompileCache();
const { runProcess } = await import('./run-process.ts');
await runProcess(process);
