import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import timers from 'node:timers/promises';

/**
 * Loaded before the program (`node --import`): its time runs faster than the world, and processes of one drill agree on
 * it. Sockets keep real time, so a timeout of HTTP is as long as ever. DRILL_TIME: `SPEED@EPOCH MS@EPOCH MS SHOWN THEN`.
 * On SIGUSR2 the clock is put forward by DRILL_JUMP (ms), and back on the next one. The monotonic time does not jump.
 */
const [speed = 1, anchor = 0, from = anchor] = (process.env.DRILL_TIME ?? '1@0').split('@').map(Number);
let jumped = 0;
process.on('SIGUSR2', () => {
  jumped = jumped === 0 ? Number(process.env.DRILL_JUMP ?? 0) : 0;
});
const realNow = Date.now;
const realUptime = os.uptime;
const realPerformance = performance.now.bind(performance);
const bootedAt = anchor / 1000;
const wait = timers.setTimeout;

Date.now = () => Math.floor(from + (realNow() - anchor) * speed + jumped);
performance.now = () => realPerformance() * speed;
os.uptime = () => realUptime() + (realNow() / 1000 - bootedAt) * (speed - 1);
timers.setTimeout = ((ms, ...rest) => wait((ms ?? 0) / speed, ...rest)) as typeof wait;
syncBuiltinESMExports();
