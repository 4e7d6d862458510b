import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface ContainerOptions {
  readonly name: string;
  readonly image: string;
  /** What follows the image. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folders and files of this machine, by the path inside; all of them read-only. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** As a pod of the chart: read-only, without capabilities, with this much memory (`512m`). */
  readonly memory?: string;
}

export interface Container {
  readonly name: string;
  /** SIGTERM, and at most a minute to end. Gives the exit code. */
  stop(): Promise<number>;
  logs(): Promise<string>;
  usage(): Promise<ContainerUsage>;
  remove(): Promise<void>;
}

/** Bytes. `rss` and `peakRss` are the main process's; `peak` is what the kernel counts for the limit, with files in memory. */
export interface ContainerUsage {
  /** Of the main process since it began, in seconds. */
  readonly cpuSeconds: number;
  readonly rss: number;
  readonly peakRss: number;
  readonly peak: number | undefined;
}

/** Podman or docker: both are driven by the same words. Every container shares the machine's own network. Must be closed. */
export interface ContainerEngine {
  readonly name: string;
  start(options: ContainerOptions): Promise<Container>;
  /** Whether the image is on this machine. */
  hasImage(image: string): Promise<boolean>;
  pull(image: string): Promise<void>;
  imageBytes(image: string): Promise<number>;
  /** Removes every container that was started here, however far it came. */
  close(): Promise<void>;
}

const peakFiles = ['/sys/fs/cgroup/memory.peak', '/sys/fs/cgroup/memory/memory.max_usage_in_bytes'];

export function openContainerEngine(name: string): ContainerEngine {
  const engine = async (...words: readonly string[]): Promise<string> => {
    const { stdout } = await execute(name, [...words], { maxBuffer: 1 << 28 }).catch((error: { stderr?: string }) => {
      // The whole command line would be a long one, with the secrets of the test.
      throw new Error(`${name} ${words[0]}: ${error.stderr?.trim().split('\n').at(-1) ?? 'failed'}`);
    });
    return stdout.trim();
  };
  const left = new Set<string>();
  const starting = new Set<Promise<unknown>>();
  let isClosed = false;
  // With their unnamed volumes.
  const remove = async (container: string): Promise<void> => {
    await engine('rm', '-fv', container);
    left.delete(container);
  };
  return {
    name,
    async start({ name: container, image, command, env = {}, mounts = {}, memory }) {
      const confined = ['--read-only', '--tmpfs', '/tmp:rw,size=64m,mode=1777', '--cap-drop', 'ALL'];
      if (isClosed) throw new Error('no container is started any more');
      left.add(container);
      const started = engine(
        'run',
        ...['-d', '--name', container, '--network', 'host'],
        ...(memory === undefined ? [] : [...confined, '--security-opt', 'no-new-privileges', '--memory', memory]),
        ...Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]),
        ...Object.entries(mounts).flatMap(([inside, outside]) => ['-v', `${outside}:${inside}:ro`]),
        image,
        ...command,
      );
      starting.add(started);
      await started.finally(() => starting.delete(started));
      return openContainer(container, { engine, program: name, remove });
    },
    hasImage: (image) => engine('image', 'inspect', image).then(...asBoolean),
    pull: async (image) => void (await engine('pull', '-q', image)),
    imageBytes: async (image) => Number(await engine('image', 'inspect', '--format', '{{.Size}}', image)),
    async close() {
      isClosed = true;
      await Promise.allSettled(starting);
      // One that never came about cannot be removed, and need not be.
      await Promise.all([...left].map((container) => remove(container).catch(() => {})));
    },
  };
}

const asBoolean = [() => true, () => false] as const;

interface EngineParts {
  readonly engine: (...words: readonly string[]) => Promise<string>;
  readonly program: string;
  readonly remove: (container: string) => Promise<void>;
}

function openContainer(name: string, { engine, program, remove }: EngineParts): Container {
  const inside = (...words: readonly string[]): Promise<string> => engine('exec', name, ...words);
  return {
    name,
    async stop() {
      await engine('stop', '-t', '60', name);
      return Number(await engine('inspect', '--format', '{{.State.ExitCode}}', name));
    },
    async logs() {
      const { stdout, stderr } = await execute(program, ['logs', name], { maxBuffer: 1 << 28 });
      return stdout + stderr;
    },
    async usage() {
      // Past the name, which may hold anything: the 12th and 13th are user and system time, in hundredths of a second.
      const times = (await inside('cat', '/proc/1/stat')).split(') ').at(-1)?.split(' ') ?? [];
      const status = await inside('cat', '/proc/1/status');
      const kilobytes = (key: string): number =>
        Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
      const peaks = await Promise.all(peakFiles.map((file) => inside('cat', file).catch(() => '')));
      const peak = Number(peaks.find((text) => text !== '') ?? Number.NaN);
      return {
        cpuSeconds: (Number(times[11]) + Number(times[12])) / 100,
        rss: kilobytes('VmRSS') * 1024,
        peakRss: kilobytes('VmHWM') * 1024,
        peak: Number.isFinite(peak) ? peak : undefined,
      };
    },
    remove: () => remove(name),
  };
}
