import type { Egress } from '../../../ports/runtime.ts';
import type { SourceBase, SourceIo } from '../../../ports/source.ts';
import type { Sftp } from './config.ts';
import { type Candidate, chooseNewest, compilePattern, folderOf, isPattern } from './newest.ts';
import type { FileState, Place, Visit } from './place.ts';
import { Interruption, sftpError } from './sftp-errors.ts';
import type { SftpSession } from './sftp-session.ts';

const maxTries = 4;
const firstDelayMs = 1_000;

/**
 * Opens files on an SFTP server (draft-ietf-secsh-filexfer-02, as OpenSSH implements it). Reconnects after a broken
 * connection.
 */
export function sftpPlace(sftp: Sftp, newest: 'name' | 'time', { egress }: Pick<SourceBase, 'egress'> = {}): Place {
  return {
    async visit(io, work) {
      for (let tries = 1; ; tries++) {
        try {
          return await visitOnce({ sftp, newest, egress }, io, work);
        } catch (error) {
          io.signal.throwIfAborted();
          if (!(error instanceof Interruption) || tries === maxTries) throw error;
          const waitMs = firstDelayMs * 2 ** (tries - 1);
          io.logger.warn({ host: sftp.host, tries, waitMs }, `source: ${error.message}; trying again`);
          await io.clock.sleep(waitMs, io.signal);
        }
      }
    },
  };
}

interface Server {
  readonly sftp: Sftp;
  readonly newest: 'name' | 'time';
  readonly egress: Egress | undefined;
}

async function visitOnce<T>(
  { sftp, newest, egress }: Server,
  io: SourceIo,
  work: (visit: Visit) => Promise<T>,
): Promise<T> {
  // The SSH client is large, so it is loaded only when it is needed.
  const { openSftpSession } = await import('./sftp-session.ts');
  const session = await openSftpSession(sftp, io.signal, { egress });
  try {
    return await work(visitOf(sftp, newest, session));
  } finally {
    await session.close();
  }
}

function visitOf(sftp: Sftp, newest: 'name' | 'time', session: SftpSession): Visit {
  const nameOf = (path: string): string =>
    `sftp://${sftp.host}${sftp.port === 22 ? '' : `:${sftp.port}`}/${path.replace(/^\//, '')}`;
  const stat = async (path: string): Promise<FileState | undefined> => {
    const found = await session.stat(path).catch((error: unknown) => {
      throw sftpError(nameOf(path), error);
    });
    return found?.isFile() === false ? undefined : found && stateOf(found);
  };
  return {
    nameOf,
    stat,
    async find() {
      if (!isPattern(sftp.path)) return { file: sftp.path };
      const folder = folderOf(sftp.path);
      const isMeant = compilePattern(sftp.path);
      const entries = await session.list(folder === '' ? '.' : folder).catch((error: unknown) => {
        throw sftpError(nameOf(folder), error);
      });
      const files = entries.filter(({ name, stats }) => isMeant(name) && stats.isFile());
      const candidates = files.map(
        ({ name, stats }): Candidate => ({ file: `${folder}${name}`, writtenAtNs: stateOf(stats).writtenAtNs }),
      );
      return chooseNewest(nameOf(sftp.path), candidates, newest);
    },
    async fetch(path, sink) {
      await sink.restart();
      const stats = await session
        .read(path, (chunk) => sink.write(chunk))
        .catch((error: unknown) => {
          throw sftpError(nameOf(path), error);
        });
      return stateOf(stats);
    },
  };
}

/** This version of the protocol has times in whole seconds. */
function stateOf({ size, mtime }: { readonly size: number; readonly mtime: number }) {
  return { bytes: size, version: `${mtime}`, writtenAtNs: BigInt(mtime) * 1_000_000_000n };
}
