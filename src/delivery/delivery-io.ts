import type { Dialect } from '../core/run/settings.ts';
import type { Delivery } from '../ports/delivery.ts';
import type { Platform } from '../ports/platform.ts';

export interface DeliveryIo {
  readonly platform: Platform;
  readonly dialect: Dialect;
  /** `remove.blacklist` of the sync. */
  readonly blacklist: boolean;
  /** Folder for the files of the outbox. */
  readonly outboxFolder: string;
}

export interface DeliveryKind {
  readonly kind: Delivery['kind'];
  open(io: DeliveryIo): Delivery;
}
