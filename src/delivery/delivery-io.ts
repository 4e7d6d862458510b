import type { Dialect } from '../core/settings.ts';
import type { Delivery } from '../ports/delivery.ts';
import type { Platform } from '../ports/platform.ts';

/** What a delivery is opened with. */
export interface DeliveryIo {
  readonly platform: Platform;
  readonly dialect: Dialect;
  /** `remove.blacklist` of the sync. */
  readonly blacklist: boolean;
  /** Folder for files on their way; must exist. Files hold personal data and are deleted after the upload. */
  readonly scratchFolder: string;
  /** Where the outbox puts its files. */
  readonly outboxFolder: string;
}

export interface DeliveryKind {
  readonly kind: Delivery['kind'];
  open(io: DeliveryIo): Delivery;
}
