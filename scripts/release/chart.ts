import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chart, findHelm, runHelm } from '../../test/helm/helm-tool.ts';

/**
 * Packages the chart into a folder. With an image, its digest becomes the default of the values: who has verified the chart
 * then runs exactly this image. Returns false when there is no helm, and throws when an image was to be named.
 *
 * @param image such as `ghcr.io/owner/rollcall@sha256:…`
 */
export async function packageChart(folder: string, image?: string): Promise<boolean> {
  const helm = await findHelm();
  if (helm === undefined) {
    if (image === undefined) return false;
    throw new Error('The chart cannot be packaged: helm is not installed and cannot be fetched.');
  }
  const temporary = await mkdtemp(join(tmpdir(), 'rollcall-chart-'));
  try {
    const copy = join(temporary, 'rollcall');
    await cp(chart, copy, { recursive: true });
    if (image !== undefined) await setImage(join(copy, 'values.yaml'), image);
    const { code, stderr } = await runHelm(helm, ['package', copy, '--destination', folder]);
    if (code !== 0) throw new Error(`helm package failed:\n${stderr}`);
    return true;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function setImage(path: string, image: string): Promise<void> {
  const [repository, digest] = image.split('@');
  const text = await readFile(path, 'utf8');
  const lines = /^( +repository: )rollcall(\n[\s\S]*?\n +digest: )""$/m;
  if (!lines.test(text))
    throw new Error('values.yaml has no image.repository and image.digest where they are expected.');
  await writeFile(path, text.replace(lines, `$1${repository}$2${digest}`));
}
