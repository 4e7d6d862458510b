import { z } from 'zod';
import { instant, toWire } from './wire.ts';

export const openSession = z
  .object({
    id: z.string().describe('Names the session. It cannot be used to sign in'),
    name: z.string().describe('The user, as in the audit'),
    access: z.array(z.string()).describe('What it may do, such as `operator of people-uy, without people`'),
    method: z.enum(['openid', 'token']),
    createdAt: instant,
    usedAt: instant.describe('When the user last did something'),
    expiresAt: instant.describe('Its end, whatever the user does'),
  })
  .meta({ id: 'OpenSession' });

export const sessionList = z.object({ sessions: z.array(openSession) }).meta({ id: 'SessionList' });

export const openSessionView = toWire(openSession);
