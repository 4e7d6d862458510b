/** Valid names of connections, syncs and tokens. They are used in files, logs and commands. */
export const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
