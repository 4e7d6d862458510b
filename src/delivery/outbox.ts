import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery } from '../ports/delivery.ts';
import type { DeliveryKind } from './delivery-io.ts';
import { writeProvisioningFile } from './provisioning-file.ts';

/** Puts the batch's file into a folder, whole or not at all, for somebody else to bring to the platform. */
export const outboxDelivery: DeliveryKind = {
  kind: 'outbox',
  open: (io) =>
    ({
      kind: 'outbox',
      submit: async (batch) => {
        await mkdir(io.outboxFolder, { recursive: true, mode: 0o700 });
        const path = join(io.outboxFolder, `rollcall_${batch.id}.csv`);
        await writeProvisioningFile(`${path}.part`, batch.changes, io.dialect);
        await rename(`${path}.part`, path);
        return { kind: 'exported', path };
      },
    }) satisfies Delivery,
};
