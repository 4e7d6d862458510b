export * from './administration.ts';
export * from './growth.ts';
export {
  type JsonObject,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiOptions,
  renderOpenApi,
} from './open-api.ts';
export {
  type ApiPart,
  type Operation,
  type OperationId,
  operationIds,
  operationOf,
  operations,
} from './operations.ts';
export { type Paging, pagingOf, parameterNotes, pathParameters, type QueryMember, queryMembers } from './parameters.ts';
export * from './users.ts';
export { CountedPage, GrantErrorBody, type LongId, NumberedPage, PlatformErrorBody, TotalPage } from './wire.ts';
