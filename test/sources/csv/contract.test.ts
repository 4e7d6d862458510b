import { sourceContract } from '../../contracts/source.ts';
import { csvFile, csvHttps, csvS3 } from './under-test.ts';

sourceContract(csvFile);
sourceContract(csvHttps);
sourceContract(csvS3);
