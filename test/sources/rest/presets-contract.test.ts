import { sourceContract } from '../../contracts/source.ts';
import * as cases from './presets-under-test.ts';

for (const one of Object.values(cases)) sourceContract(one);
