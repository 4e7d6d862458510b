import { sourceContract } from '../../contracts/source.ts';
import { perPerson, userEntity } from './under-test.ts';

sourceContract(perPerson);
sourceContract(userEntity);
