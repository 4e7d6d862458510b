import { csvDelivery } from './csv-upload.ts';
import type { DeliveryKind } from './delivery-io.ts';
import { directDelivery, leadersDelivery } from './direct.ts';
import { outboxDelivery } from './outbox.ts';

export const deliveryKinds: readonly DeliveryKind[] = [
  csvDelivery, //
  directDelivery,
  outboxDelivery,
  leadersDelivery,
];
