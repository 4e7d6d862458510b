/** What connections, syncs and tokens may be called: the names go into files, logs and commands. */
export const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
