/** How outgoing HTTP, SFTP and mail leave this machine. */
export interface Egress {
  /** Returns the proxy for an address: a URL that may hold a user and a password. Undefined: none. */
  proxyFor(url: URL): string | undefined;
}
