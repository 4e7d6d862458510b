import { firstPageSize } from '../core/run/page-size.ts';
import { AnswerInvalid } from '../drivers/http/answer-invalid.ts';
import { isRecord } from '../drivers/http/json-text.ts';
import type { Platform } from '../ports/platform.ts';
import { contractCall, jsonBody } from './client/calls.ts';
import type { PlatformClient } from './client/client.ts';
import { refuseToSend } from './client/errors.ts';
import { type AnswerReader, checkIdentification, nothing, operationName } from './client/operation.ts';
import { type LearnedPageSize, scanDirectory } from './directory.ts';
import { operationOf } from './table/operations.ts';
import { readFileStatus, uploadUserFile } from './user-file.ts';
import { findUser } from './user-lookup.ts';
import { updatePayload, userIdOf, userPayload } from './user-write.ts';

/** Opens the engine's view of a connection over its client (see `Platform`). The client is closed by its owner. */
export function openPlatform(client: PlatformClient): Platform {
  const { dialect, limits } = client;
  const learned: LearnedPageSize = {
    pageSize: firstPageSize(dialect.search.pageSize, limits.pageSize ?? dialect.search.pageSize),
  };
  return {
    scan: (signal, purpose = 'scan') => scanDirectory(client, learned, purpose, signal),
    find: (identification, signal, userCounts) => findUser(client, identification, signal, userCounts),

    async create(write, signal) {
      checkIdentification(write.identification, operationName(operationOf('create')));
      const body = jsonBody(userPayload(write, dialect, 'create'));
      return client.request(contractCall('create', { body, answer: createdUser }), signal);
    },

    async update(target, write, signal) {
      const body = jsonBody(updatePayload(target, write, dialect));
      // 202 echoes the request. Only reading back shows what was done.
      await client.request(contractCall('update', { body, answer: nothing }), signal);
    },

    async rename(target, write, signal) {
      const operation = operationOf('update');
      checkIdentification(write.identification, operationName(operation));
      if (dialect.userId === 'identification') {
        throw refuseToSend(operation, 'dialect.userId is `identification`, so an update cannot change it.');
      }
      const body = jsonBody({ userId: userIdOf(target, dialect), ...userPayload(write, dialect, 'update') });
      await client.request(contractCall('update', { body, answer: nothing }), signal);
    },

    async remove(identification, { blacklist }, signal) {
      const call = contractCall('delete', { params: { identification }, query: { blacklist }, answer: nothing });
      await client.request(call, signal);
    },

    upload: (file, signal) => uploadUserFile(client, file, signal),
    status: (fileId, signal) => readFileStatus(client, fileId, signal),
  };
}

const createdUser: AnswerReader<{ readonly userId: string }> = {
  expects: 'json',
  read({ value }) {
    const userId = isRecord(value) ? value.userId : undefined;
    if (typeof userId === 'string' && userId !== '') return { userId };
    if (typeof userId === 'number') return { userId: String(userId) };
    throw new AnswerInvalid('the body has no `userId`');
  },
};
