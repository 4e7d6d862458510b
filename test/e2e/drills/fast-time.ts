import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import timers from 'node:timers/promises';

/**
 * Loaded before the program (`node --import`): its time runs faster than the world, and processes of one drill agree on
 * it. Sockets keep real time, so a timeout of HTTP is as long as ever. DRILL_TIME: `SPEED@EPOCH MS`.
 */
const [speed = 1, anchor = 0] = (process.env.DRILL_TIME ?? '1@0').split('@').map(Number);
const realNow = Date.now;
const realUptime = os.uptime;
const realPerformance = performance.now.bind(performance);
const bootedAt = anchor / 1000;
const wait = timers.setTimeout;

Date.now = () => Math.floor(anchor + (realNow() - anchor) * speed);
performance.now = () => realPerformance() * speed;
os.uptime = () => realUptime() + (realNow() / 1000 - bootedAt) * (speed - 1);
timers.setTimeout = ((ms, ...rest) => wait((ms ?? 0) / speed, ...rest)) as typeof wait;
syncBuiltinESMExports();
