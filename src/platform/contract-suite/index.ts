export type { ContractAids, SpareTokens } from './aids.ts';
export {
  type ContractSuiteOptions,
  contractSubjects,
  runContractSuite,
  subjectOf,
} from './contract-suite.ts';
export { renderCoverage } from './coverage.ts';
