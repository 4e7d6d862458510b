import { resolve } from 'node:path';
import type { SourceBase, SourceIo } from '../../../ports/source.ts';
import { type CsvFile, openCsvFile } from '../csv-file.ts';
import type { OpenFile } from '../read.ts';
import type { CsvConfig } from '../schema.ts';
import { compressionOf } from '../unpack.ts';
import { httpsPlace } from './https.ts';
import { findLocal, localPlace } from './local.ts';
import { isPattern, rankOf } from './newest.ts';
import type { Place } from './place.ts';
import { receiveFile } from './received.ts';
import { s3Place } from './s3.ts';
import { sftpPlace } from './sftp.ts';

/** Returns how to open the configured file: an uncompressed local one in place, any other after its transfer. */
export function fileOpener(config: CsvConfig, base: SourceBase): OpenFile {
  const { newest, compression } = config;
  const path = config.path === undefined ? undefined : resolve(base.folder, config.path);
  const markerOf = markerNamer(config, base);
  const place = path === undefined ? remotePlace(config, base) : localPlace(path, newest);
  const pattern = config.path ?? config.sftp?.path ?? config.s3?.key;
  const open = async (io: SourceIo, part: 'whole' | 'header'): Promise<CsvFile> => {
    if (path !== undefined && compressionOf(path, compression) === 'none') {
      const file = await findLocal(path, newest);
      return openCsvFile(file, markerOf(file));
    }
    const order = {
      part,
      compression,
      scratchFolder: base.scratchFolder,
      markerOf: config.complete === 'marker' ? markerOf : undefined,
      mustBeUnchanged: config.complete === 'stable',
    };
    return receiveFile(place, order, io);
  };
  if (pattern === undefined || !isPattern(pattern)) return open;
  return async (io, part) => {
    const file = await open(io, part);
    const rank = rankOf(newest, file);
    return rank === undefined ? file : { ...file, rank };
  };
}

function remotePlace({ sftp, https, s3, newest }: CsvConfig, base: SourceBase): Place {
  if (sftp !== undefined) return sftpPlace(sftp, newest, base);
  if (https !== undefined) return httpsPlace(https, base);
  if (s3 !== undefined) return s3Place(s3, newest);
  throw new TypeError('a csv source without a place');
}

function markerNamer({ path, https, marker }: CsvConfig, base: SourceBase): (file: string) => string {
  if (marker !== undefined) return () => (path === undefined ? marker : resolve(base.folder, marker));
  if (https === undefined) return (file) => `${file}.done`;
  return (file) => {
    const url = new URL(file);
    url.pathname += '.done';
    return url.href;
  };
}
