import { sourceContract } from '../../contracts/source.ts';
import { workdayRaas, workdaySoap } from './under-test.ts';

sourceContract(workdayRaas);
sourceContract(workdaySoap);
