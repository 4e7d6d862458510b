import { sourceContract } from '../../contracts/source.ts';
import { scimByCursor, scimByExactTotal, scimByIndex } from './under-test.ts';

sourceContract(scimByIndex);
sourceContract(scimByExactTotal);
sourceContract(scimByCursor);
