#!/usr/bin/env -S node --max-semi-space-size=8 --max-old-space-size=1024
// The command of the installed package. An older Node.js must be able to read this file, so it has old syntax and no imports.
// The flags limit memory, because V8 grows its heap up to its limit (docs/decisions/003-plan-index.md).
const oldest = 24;

if (Number(process.versions.node.split('.')[0]) < oldest) {
  process.stderr.write(
    `error: rollcall needs Node.js ${oldest} or newer, and this is Node.js ${process.versions.node} (${process.execPath}).\n` +
      `Install Node.js ${oldest}, or put it first in your PATH, and run the same command again. Nothing was started.\n`,
  );
  process.exitCode = 2;
} else {
  import('../dist/src/main/cli.js');
}
