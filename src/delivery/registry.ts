import { csvDelivery } from './csv-upload.ts';
import type { DeliveryKind } from './delivery-io.ts';
import { directDelivery } from './direct.ts';
import { leadersDelivery } from './leaders.ts';
import { outboxDelivery } from './outbox.ts';

export const deliveryKinds: readonly DeliveryKind[] = [
  csvDelivery, //
  directDelivery,
  outboxDelivery,
  leadersDelivery,
];
