import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery } from '../ports/delivery.ts';
import type { DeliveryKind } from './delivery-io.ts';
import { writeProvisioningFile } from './provisioning-file.ts';

/** Writes the batch's file into a folder, atomically. Another system delivers it to the platform. */
export const outboxDelivery: DeliveryKind = {
  kind: 'outbox',
  open: (io) =>
    ({
      kind: 'outbox',
      submit: async (batch) => {
        await mkdir(io.outboxFolder, { recursive: true, mode: 0o700 });
        const path = join(io.outboxFolder, `rollcall_${batch.id}.csv`);
        const part = `${path}.part`;
        try {
          await writeProvisioningFile(part, batch.changes, io.dialect);
          await rename(part, path);
        } catch (error) {
          // It holds personal data, and another system may take it for a file.
          await rm(part).catch(() => {});
          throw error;
        }
        await syncFolder(io.outboxFolder);
        return { kind: 'exported', path };
      },
    }) satisfies Delivery,
};

/** Makes the rename durable: without it a power cut may lose a file that the run reports as exported. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}
