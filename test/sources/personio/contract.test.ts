import { sourceContract } from '../../contracts/source.ts';
import { personioV1, personioV2 } from './under-test.ts';

sourceContract(personioV1);
sourceContract(personioV2);
