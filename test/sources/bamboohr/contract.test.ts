import { sourceContract } from '../../contracts/source.ts';
import { bamboohrDatasets, bamboohrEmployees, bamboohrReport } from './under-test.ts';

sourceContract(bamboohrDatasets);
sourceContract(bamboohrEmployees);
sourceContract(bamboohrReport);
