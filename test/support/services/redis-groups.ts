import { Redis } from 'ioredis';
import { type RedisServer, startRedis, until } from './redis.ts';

export interface RedisSentinels {
  readonly master: RedisServer;
  readonly replicas: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];
  readonly masterName: string;
  close(): Promise<void>;
}

const masterName = 'rollcall-master';

export interface SentinelOptions {
  /** More lines for the master and its replicas, such as users of an ACL. */
  readonly nodes?: readonly string[];
  readonly sentinels?: readonly string[];
}

/** A master, two replicas and three Sentinels that replace it a second after it died. */
export async function startSentinels(program: string, more: SentinelOptions = {}): Promise<RedisSentinels> {
  const { nodes = [], sentinels: ofSentinels = [] } = more;
  const master = await startRedis(program, { config: nodes });
  const replicas = await Promise.all(
    [1, 2].map(() =>
      startRedis(program, {
        config: [`replicaof 127.0.0.1 ${master.port}`, 'repl-diskless-sync-delay 0', ...nodes],
      }),
    ),
  );
  const config = [
    `sentinel monitor ${masterName} 127.0.0.1 ${master.port} 2`,
    `sentinel down-after-milliseconds ${masterName} 1000`,
    `sentinel failover-timeout ${masterName} 3000`,
    ...ofSentinels,
  ];
  const sentinels = await Promise.all([1, 2, 3].map(() => startRedis(program, { isSentinel: true, config })));
  const all = [...sentinels, ...replicas, master];
  await until(async () => String(await master.command('INFO', 'replication')).includes('connected_slaves:2'));
  for (const sentinel of sentinels) {
    await until(async () => {
      const said = String(await sentinel.command('INFO', 'sentinel'));
      return said.includes('slaves=2') && said.includes('sentinels=3');
    });
  }
  return {
    master,
    replicas,
    sentinels,
    masterName,
    close: async () => {
      for (const server of all) await server.close();
    },
  };
}

export interface RedisCluster {
  readonly nodes: readonly RedisServer[];
  close(): Promise<void>;
}

const slots = 16_384;

/** Three masters that share the slots. */
export async function startCluster(program: string): Promise<RedisCluster> {
  const config = ['cluster-enabled yes', 'cluster-node-timeout 2000'];
  const nodes = await Promise.all([1, 2, 3].map(() => startRedis(program, { config })));
  const [first] = nodes;
  for (const [i, node] of nodes.entries()) {
    const from = Math.floor((slots * i) / nodes.length);
    const to = Math.floor((slots * (i + 1)) / nodes.length) - 1;
    const client = new Redis(node.port, '127.0.0.1');
    await client.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1));
    if (first !== undefined && node !== first) await client.call('CLUSTER', 'MEET', '127.0.0.1', String(first.port));
    client.disconnect();
  }
  for (const node of nodes) {
    await until(async () => String(await node.command('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    await until(async () => String(await node.command('CLUSTER', 'INFO')).includes('cluster_known_nodes:3'));
  }
  return {
    nodes,
    close: async () => {
      for (const node of nodes) await node.close();
    },
  };
}
