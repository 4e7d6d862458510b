import { STATUS_CODES } from 'node:http';
import { TokenRequest, UserFileUpload } from '../../platform/table/index.ts';
import { type Answer, badRequest, type Call, type Handler, Refusal } from '../call.ts';
import { showDateTime } from '../dates.ts';
import { readBody, readId, readQuery } from '../parameters.ts';
import type { ProvisioningFile } from '../provisioning/file-desk.ts';
import type { World } from '../world.ts';

/* ---- tokens ---- */

/** RFC 6749 section 5.1: answers with tokens are never cached. */
const tokenHeaders = { 'cache-control': 'no-store', pragma: 'no-cache' };

const revoke: Handler = ({ bearer }, { tokens, applicationToken }) => {
  if (bearer === undefined) throw new Refusal(401, 'Unauthorized', 'The access token is missing or malformed');
  if (bearer === applicationToken) throw new Refusal(403, 'Forbidden', 'An application token cannot be revoked here');
  tokens.revokeAccess(bearer);
  return { body: { message: 'The token is now invalid' } };
};

const refresh: Handler = (call, { tokens, applicationToken, quirks, accessTokenLifeMs }) => {
  if (call.bearer !== applicationToken) {
    return grantError(401, 'invalid_client', 'The application token is missing or wrong');
  }
  const problem = requestProblem(call);
  if (problem !== undefined) return problem;
  if (call.faults.has('invalid_grant')) return invalidGrant('revoked');
  const { refresh_token } = TokenRequest.parse(call.body);
  const grant = tokens.rotate(refresh_token);
  if (grant.kind === 'refused') return invalidGrant(grant.reason);
  return {
    headers: tokenHeaders,
    body: {
      access_token: grant.pair.accessToken,
      token_type: 'Bearer',
      expires_in: quirks.expiresIn === 'seconds' ? Math.floor(accessTokenLifeMs / 1000) : accessTokenLifeMs,
      refresh_token: grant.pair.refreshToken,
    },
  };
};

/** Contract: JSON only; query parameters are ignored. */
function requestProblem({ contentType, body }: Call): Answer | undefined {
  if (!contentType.startsWith('application/json')) {
    return grantError(400, 'invalid_request', 'The body must be application/json');
  }
  if (TokenRequest.safeParse(body).success) return undefined;
  const grantType = (body as { grant_type?: unknown } | null | undefined)?.grant_type;
  return grantType === undefined || grantType === 'refresh_token'
    ? grantError(400, 'invalid_request', 'grant_type and refresh_token are required')
    : grantError(400, 'unsupported_grant_type', 'grant_type must be refresh_token');
}

function invalidGrant(reason: string): Answer {
  return grantError(400, 'invalid_grant', `The refresh token is ${reason}`);
}

function grantError(status: number, error: string, description: string): Answer {
  return { status, headers: tokenHeaders, body: { error, error_description: description } };
}

/* ---- provisioning files ---- */

const upload: Handler = (call, world) => {
  const preprocessing = readQuery(call).flag('preprocessing');
  const { file, fileName } = readUpload(call, world);
  refuseWhileBusy(world);
  const accepted = world.files.accept({ name: fileName, text: file, preprocessing, source: 'upload' });
  return { body: { result: showFile(accepted) } };
};

const status: Handler = ({ parameters: { id = '' } }, { files }) => {
  const file = files.shown(readId(id));
  if (file === undefined) throw badRequest('There is no such file');
  return { body: { result: showFile(file) } };
};

const importJob: Handler = (_call, world) => {
  const text = world.importSource();
  if (text === undefined) throw badRequest('No source of users is defined');
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
  return badRequest(`The upload's encoding is not supported; supported: ${accepted.join(', ')}`);
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
    throw badRequest('The file is not UTF-8');
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

/* ---- roles ---- */

const permission = (id: number, area: string, scope: string) => ({ id, name: `PERMISSION_OS:${area}:${scope}` });
const translations = (id: number, english: string, spanish: string) => [
  { id, languageCode: 'en', value: english },
  { id: id + 1, languageCode: 'es', value: spanish },
];

const table = [
  {
    id: 1,
    name: 'ROLE_USER',
    enabled: true,
    nameTranslations: translations(100, 'User', 'Usuario'),
    descriptionTranslations: translations(102, 'Everybody', 'Todas las personas'),
    permissions: [permission(1, 'PROFILE', 'READ')],
  },
  {
    id: 2,
    name: 'ROLE_ADMIN',
    enabled: true,
    nameTranslations: translations(104, 'Administrator', 'Administrador'),
    descriptionTranslations: [],
    permissions: [permission(1, 'PROFILE', 'READ'), permission(2, 'USERS', 'WRITE'), permission(3, 'ROLES', 'WRITE')],
  },
  {
    id: 3,
    name: 'CUSTOM_PEOPLE_PARTNER',
    enabled: true,
    nameTranslations: translations(106, 'People partner', 'Socio de personas'),
    descriptionTranslations: [],
    permissions: [permission(1, 'PROFILE', 'READ'), permission(2, 'USERS', 'WRITE')],
  },
] as const;

function showRoles({ directory }: World) {
  let enabled = 0;
  for (const account of directory.all.values()) if (account.enabled) enabled += 1;
  const holders = { ROLE_USER: enabled, ROLE_ADMIN: 1, CUSTOM_PEOPLE_PARTNER: 0 };
  return table.map((role) => ({ ...role, users: holders[role.name] }));
}

/** Contract: an array without `result`. */
const roles: Handler = (_call, world) => ({ body: showRoles(world) });

const role: Handler = ({ parameters: { customAclCode = '' } }, world) => {
  const found = showRoles(world).find(({ name }) => name === customAclCode);
  if (found === undefined) throw badRequest('There is no role with this code');
  return { body: found };
};

export const administrationHandlers = {
  revoke,
  token: refresh,
  upload,
  status,
  'import-job': importJob,
  roles,
  role,
} as const;
