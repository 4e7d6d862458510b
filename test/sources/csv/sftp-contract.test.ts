import { it } from 'vitest';
import { sourceContract } from '../../contracts/source.ts';
import { findSshd } from '../../support/services/sshd.ts';
import { csvSftp } from './under-test.ts';

if ((await findSshd('the contract of csv sources on an SFTP server')) === undefined) it.skip('needs sshd', () => {});
else sourceContract(csvSftp);
