import { sourceContract } from '../../contracts/source.ts';
import { csvFile } from './under-test.ts';

sourceContract(csvFile);
