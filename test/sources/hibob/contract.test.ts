import { sourceContract } from '../../contracts/source.ts';
import { hibobBatches, hibobWhole } from './under-test.ts';

sourceContract(hibobWhole);
sourceContract(hibobBatches);
