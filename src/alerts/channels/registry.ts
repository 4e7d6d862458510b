import type { Channel, ChannelSettings } from '../../ports/alerts.ts';
import type { Egress } from '../../ports/egress.ts';
import type { Clock } from '../../ports/runtime.ts';
import { openEmail } from './email.ts';
import { openPagerDuty } from './pagerduty.ts';
import { openSlack } from './slack.ts';
import { openTeams } from './teams.ts';
import { openWebhook } from './webhook.ts';

type Openers = {
  readonly [Kind in ChannelSettings['kind']]: (
    settings: Extract<ChannelSettings, { kind: Kind }>,
    clock: Clock,
    egress?: Egress,
  ) => Channel;
};

/** Every kind of channel, one line each. */
const channelKinds: Openers = {
  webhook: openWebhook,
  slack: openSlack,
  teams: openTeams,
  email: openEmail,
  pagerduty: openPagerDuty,
};

/** Opens a channel. Connects and sends nothing before the first notice. */
export function openChannel(settings: ChannelSettings, clock: Clock, egress?: Egress): Channel {
  const open = channelKinds[settings.kind] as (settings: ChannelSettings, clock: Clock, egress?: Egress) => Channel;
  return open(settings, clock, egress);
}
