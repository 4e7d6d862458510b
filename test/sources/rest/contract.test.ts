import { sourceContract } from '../../contracts/source.ts';
import * as cases from './under-test.ts';

for (const one of Object.values(cases)) sourceContract(one);
