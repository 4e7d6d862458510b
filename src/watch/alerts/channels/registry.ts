import type { Channel, ChannelSettings } from '../../../ports/alerts.ts';
import { withCommands } from '../render-notice.ts';
import { openAlertmanager } from './alertmanager.ts';
import { openEmail } from './email.ts';
import { openOpsgenie } from './opsgenie.ts';
import { openPagerDuty } from './pagerduty.ts';
import type { ChannelIo } from './post-json.ts';
import { openSlack } from './slack.ts';
import { openTeams } from './teams.ts';
import { openWebhook } from './webhook.ts';

type Openers = {
  readonly [Kind in ChannelSettings['kind']]: (
    settings: Extract<ChannelSettings, { kind: Kind }>,
    io: ChannelIo,
  ) => Channel;
};

/** Every kind of channel, one line each. */
const channelKinds: Openers = {
  webhook: openWebhook,
  slack: openSlack,
  teams: openTeams,
  email: openEmail,
  pagerduty: openPagerDuty,
  opsgenie: openOpsgenie,
  alertmanager: openAlertmanager,
};

/** Opens a channel. Connects and sends nothing before the first notice. */
export function openChannel(settings: ChannelSettings, io: ChannelIo): Channel {
  const open = channelKinds[settings.kind] as (settings: ChannelSettings, io: ChannelIo) => Channel;
  const channel = open(settings, io);
  return {
    settings,
    send: (notice, signal, first) => channel.send(withCommands(notice, io.place), signal, first),
  };
}
