import { z } from 'zod';
import { instant, toWire } from './wire.ts';

export const openSession = z
  .object({
    id: z.string().describe('Names the session. It cannot be used to sign in'),
    name: z.string().describe('The user, as in the audit'),
    role: z.string(),
    method: z.enum(['openid', 'token']),
    createdAt: instant,
    usedAt: instant.describe('When the user last did something'),
    expiresAt: instant.describe('Its end, whatever the user does'),
  })
  .meta({ id: 'OpenSession' });

export const sessionList = z.object({ sessions: z.array(openSession) }).meta({ id: 'SessionList' });

export const openSessionView = toWire(openSession);
