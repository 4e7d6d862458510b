import { afterAll, it } from 'vitest';
import { sourceContract } from '../../contracts/source.ts';
import { findSshd, startSshd } from '../../support/services/sshd.ts';
import { csvOnSftp } from './under-test.ts';

const program = await findSshd('the contract of csv sources on an SFTP server');
if (program === undefined) it.skip('needs sshd', () => {});
else sourceContract(csvOnSftp(await startSshd(program, afterAll)));
