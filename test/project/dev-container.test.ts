import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');
const container = JSON.parse(await read('.devcontainer/devcontainer.json'));
const dockerfile = await read(join('.devcontainer', container.build.dockerfile));

it('has the Node.js and Debian of the product image', async () => {
  const [, image] = /^ARG BASE_IMAGE=([^@\s]+)/m.exec(await read('Dockerfile')) ?? [];
  const [, own] = /^FROM (\S+)$/m.exec(dockerfile) ?? [];
  expect(image).toBe(`${own}-slim`);
});

it('has the programs that the tests start, by the names under which the tests install them', async () => {
  const services = ['chromium', 'mariadb', 'postgres-server', 'redis', 'sshd', 'xmlsec'];
  const wanted = new Set<string>();
  for (const name of services) {
    for (const [, names = ''] of (await read(`test/support/services/${name}.ts`)).matchAll(
      /installPackages\(\[(.*?)\]\)/g,
    )) {
      for (const [, each = ''] of names.matchAll(/'([^']+)'/g)) wanted.add(each);
    }
  }
  expect([...wanted]).toEqual(expect.arrayContaining(['postgresql', 'redis-server']));
  for (const each of [...wanted, 'git']) expect(dockerfile.split(/\s+/)).toContain(each);
});

it('runs scripts that package.json has', async () => {
  const { scripts } = JSON.parse(await read('package.json'));
  const named = [...container.postCreateCommand.matchAll(/npm run (\S+)/g)].map(([, name]) => name);
  expect(named).not.toEqual([]);
  for (const name of named) expect(scripts).toHaveProperty(name);
  await access(join(root, 'package-lock.json'));
});

it('forwards the default ports of the server and of the sandbox', async () => {
  const [, sandbox] = /`--port <n>`.*default `(\d+)`/.exec(await read('docs/cli.md')) ?? [];
  const [, server] = /^- `port` \(.*default `(\d{4})`/m.exec(await read('docs/configuration.md')) ?? [];
  expect(container.forwardPorts).toEqual([Number(server), Number(sandbox)]);
});
