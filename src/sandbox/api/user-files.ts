import { STATUS_CODES } from 'node:http';
import { UserFileUpload } from '../../platform/table/index.ts';
import { type Call, type Handler, Refusal } from '../call.ts';
import { showDateTime } from '../dates.ts';
import { querySource, readBody, readId, readQuery } from '../parameters.ts';
import type { ProvisioningFile } from '../provisioning/file-desk.ts';
import type { World } from '../world.ts';

const upload: Handler = (call, world) => {
  const preprocessing = readQuery(call.operation, querySource(call.query)).flag('preprocessing');
  const { file, fileName } = readUpload(call, world);
  refuseWhileBusy(world);
  const accepted = world.files.accept({ name: fileName, text: file, preprocessing, source: 'upload' });
  return { body: { result: showFile(accepted) } };
};

const status: Handler = ({ parameters: { id = '' } }, { files }) => {
  const file = files.shown(readId(id));
  if (file === undefined) throw new Refusal(400, 'Bad Request', 'There is no such file');
  return { body: { result: showFile(file) } };
};

const importJob: Handler = (_call, world) => {
  const text = world.importSource();
  if (text === undefined) throw new Refusal(400, 'Bad Request', 'No source of users is defined');
  refuseWhileBusy(world);
  world.files.accept({ name: 'import-users-job.csv', text, preprocessing: false, source: 'import-job' });
  return { body: {} };
};

/** The community processes one file at a time. */
function refuseWhileBusy({ files, quirks }: World): void {
  if (quirks.busyUpload === 'queue' || !files.isBusy()) return;
  const status = Number(quirks.busyUpload);
  throw new Refusal(status, STATUS_CODES[status] ?? '', 'Another file is being processed');
}

function readUpload(call: Call, { quirks }: World): { file: string; fileName: string } {
  const isMultipart = call.contentType.startsWith('multipart/form-data');
  const { file, fileName } = readBody(UserFileUpload, isMultipart ? decodeParts(call.body) : call.body);
  if (isMultipart) {
    if (!quirks.uploadEncodings.includes('multipart')) throw wrongEncoding(quirks.uploadEncodings);
    return { file, fileName };
  }
  const decoded = decodeBase64(file);
  const encoding = decoded === undefined ? 'json' : 'json-base64';
  if (!quirks.uploadEncodings.includes(encoding)) throw wrongEncoding(quirks.uploadEncodings);
  return { file: decoded ?? file, fileName };
}

function wrongEncoding(accepted: World['quirks']['uploadEncodings']): Refusal {
  return new Refusal(400, 'Bad Request', `The upload's encoding is not supported; supported: ${accepted.join(', ')}`);
}

function decodeParts(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, Buffer.isBuffer(value) ? decodeText(value) : value]),
  );
}

/** Decodes base64 text whose first line is a provisioning header; undefined for any other text. */
function decodeBase64(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}\s*$/.test(text)) return undefined;
  try {
    const decoded = decodeText(Buffer.from(text, 'base64'));
    const header = decoded.split('\n', 1).join('');
    return /identification/i.test(header) ? decoded : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal(400, 'Bad Request', 'The file is not UTF-8');
  }
}

/** Contract, "Provisioning file record". */
function showFile(file: ProvisioningFile): Record<string, unknown> {
  return {
    id: file.id,
    fileName: file.name,
    communityId: 1,
    uploaderId: 1,
    fileDate: showDateTime(file.uploadedAt).replace('T', ' '),
    fileStatus: file.status,
    blocked: !file.isProcessed,
  };
}

export const userFileHandlers = { upload, status, 'import-job': importJob } as const;
