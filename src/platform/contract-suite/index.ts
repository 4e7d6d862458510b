export {
  type ContractAids,
  type ContractSuiteOptions,
  contractSubjects,
  runContractSuite,
  type SpareTokens,
  subjectOf,
} from './contract-suite.ts';
export { renderCoverage } from './coverage.ts';
