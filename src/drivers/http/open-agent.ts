import { Agent, Client, Pool } from 'undici';

/**
 * Opens a pool of sockets per server, in which a request that undici refuses to send leaves its place free. Without
 * this, undici takes the refusal for a busy connection that will report itself free. After as many refusals as there
 * are connections, every later request waits forever.
 */
export function openAgent(options: Agent.Options): Agent {
  return new Agent({
    ...options,
    factory: (origin, pool: Pool.Options) => new Pool(origin, { ...pool, factory: openClient }),
  });
}

function openClient(origin: URL, options: Client.Options): Client {
  return new RefusingClient(origin, options);
}

class RefusingClient extends Client {
  override dispatch(...args: Parameters<Client['dispatch']>): boolean {
    const before = this.stats.size;
    // False means busy, except when nothing was added to the queue: then the request was refused.
    return super.dispatch(...args) || this.stats.size <= before;
  }
}
