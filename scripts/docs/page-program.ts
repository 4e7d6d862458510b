import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { stopSignals } from '../../src/cli/cli-io.ts';
import { runProcess } from '../../src/main/process.ts';

/** What a command line is called with. */
interface Call {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * What the shell calls: it hands the call to the socket, and gives back what comes. Node.js alone starts in a tenth of the
 * time that the program with its parts takes.
 */
const callerSource = `const socket = require('node:net').connect(process.argv[2]);
const send = (message) => socket.write(JSON.stringify(message) + '\\n');
for (const signal of ${JSON.stringify(stopSignals)}) process.on(signal, () => send({ signal }));
send({ words: process.argv.slice(3), env: process.env, cwd: process.cwd() });
process.exitCode = 70;
require('node:readline').createInterface({ input: socket }).on('line', (line) => {
  const { code, output, text } = JSON.parse(line);
  if (output) process[output].write(text);
  else process.exitCode = code;
}).on('close', () => socket.end());
`;

export interface PageProgram {
  /** A script of Node.js: its first argument is `address`, the others are the words of a command line. */
  readonly callerSource: string;
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Runs the program's command lines in this process, each over a process of its own as far as the program can see:
 * `runProcess` has the words, variables, folder, outputs and signals of the caller.
 */
export async function openPageProgram(address: string): Promise<PageProgram> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    void answer(socket);
  });
  server.listen(address);
  await once(server, 'listening');
  return {
    callerSource,
    address,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(socket: Socket): Promise<void> {
  const self = new EventEmitter();
  // A caller that was killed reads no answer.
  socket.on('error', () => {});
  const lines = createInterface({ input: socket });
  const first = once(lines, 'line');
  lines.on('line', (line) => {
    const { signal } = JSON.parse(line);
    if (signal !== undefined) self.emit(signal, signal);
  });
  const { words, env, cwd } = JSON.parse((await first)[0]) as Call;
  // The program finds a configuration from the folder of this process, and shows its path as it was given.
  const at = words.indexOf('--config') + 1;
  const config = at > 0 ? (words[at] ?? '') : 'rollcall.yaml';
  const wholePath = resolve(cwd, config);
  const outputTo = (output: 'stdout' | 'stderr') =>
    new Writable({
      write(piece, _encoding, done) {
        const text = String(piece).replaceAll(wholePath, config);
        socket.write(`${JSON.stringify({ output, text })}\n`);
        done();
      },
    });
  const process = Object.assign(self, {
    argv: ['node', 'rollcall', ...(at > 0 ? words.with(at, wholePath) : words)],
    env: { ROLLCALL_CONFIG: wholePath, ...env },
    cwd: () => cwd,
    stdin: { isTTY: false },
    stdout: outputTo('stdout'),
    stderr: outputTo('stderr'),
    exitCode: 0,
    // Nothing is left to wait for: each call has resources of its own, and a second signal is for impatient people.
    exit: () => {},
  });
  await runProcess(process as unknown as NodeJS.Process);
  socket.end(`${JSON.stringify({ code: process.exitCode })}\n`);
}
