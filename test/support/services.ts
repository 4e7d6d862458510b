/**
 * Real services for tests, one small function each. They start when a test file asks for them, on a free port of
 * 127.0.0.1, and are gone after it; where they cannot be had they are undefined, and the file skips its tests.
 */
export { type MariaDbService, startMariaDb } from './services/mariadb.ts';
export { findPgBouncer, type PostgresService, poolerBefore, startPostgres } from './services/postgres.ts';
export type { OwnServer } from './services/postgres-server.ts';
export { type RedisService, type RedisSpace, startRedisService } from './services/redis-service.ts';
