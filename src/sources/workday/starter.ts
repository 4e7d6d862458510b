import type { SourceStarter } from '../../ports/source.ts';
import { lifecycleSection } from '../kit/employment-status.ts';

const secrets = {
  WORKDAY_USER: 'the integration system user with its tenant: ISU_Rollcall@acme',
  WORKDAY_PASSWORD: 'its password',
};

const raas: SourceStarter = {
  name: 'workday',
  source: `# A report of your own, shared with the integration user (docs/sources/workday.md).
source:
  kind: workday
  api: raas
  url: https://wd3-services1.myworkday.com/ccx/service/customreport2/acme/ISU_Rollcall/Rollcall_Employees
  auth: { kind: basic, username: "\${env:WORKDAY_USER}", password: "\${env:WORKDAY_PASSWORD}" }
  # Every column of the report, by its XML alias. Workday leaves out empty values: only this list tells empty from hidden.
  columns:
    [WID, Employee_ID, First_Name, Last_Name, Work_Email, Business_Title, Cost_Center, Location, Hire_Date,
     Termination_Date, Active_Status, Terminated, On_Leave]
  key: WID                                   # unique in each row
  # countColumn: Row_Count                   # number of rows, in each row: proves that none was lost
  # prompts: { Include_Terminated_Workers: "1" }
`,
  mapping: `# Field of the platform: column of the report.
mapping:
  identification: Employee_ID
  firstName: First_Name
  lastName: Last_Name
  email: { from: Work_Email, transform: [trim, lowercase] }
  area: Cost_Center
  orgEntryDate: Hire_Date
  # job: Business_Title                      # the platform never shows it, so it is compared with the last write

# rollcallStatus is derived from the status columns. The report must include leavers. Otherwise they count as missing.
${lifecycleSection({ hireDate: 'Hire_Date', leaveDate: 'Termination_Date' })}`,
  secrets,
  steps: [
    'Create an advanced report over all active and terminated workers, enable it as a web service, and share it with the integration user.',
    'Put its JSON address (Actions > Web Service > View URLs) into url, and its XML aliases into columns.',
    'Create the integration system user ISU_Rollcall; its security group needs View on the domains of the columns.',
  ],
};

const soap: SourceStarter = {
  name: 'workday-soap',
  source: `# Get_Workers of the Human_Resources web service (docs/sources/workday.md).
source:
  kind: workday
  api: soap
  url: https://wd3-services1.myworkday.com/ccx/service/acme/Human_Resources/v45.0
  auth: { kind: basic, username: "\${env:WORKDAY_USER}", password: "\${env:WORKDAY_PASSWORD}" }
  workers: employees                         # or contingent, or all
  include: [organizations]                   # managementChain adds chainManagerId
`,
  mapping: `# Field of the platform: field of the worker.
mapping:
  identification: employeeId
  firstName: firstName
  lastName: lastName
  email: { from: workEmail, transform: [trim, lowercase] }
  area: organizations.COST_CENTER
  orgEntryDate: hireDate
  # job: jobTitle                            # the platform never shows it, so it is compared with the last write
  # customFields: { 1: managerId }

# Derived from active, terminated, onLeave and the dates. A future hire is in neither list and is not changed.
${lifecycleSection({ hireDate: 'hireDate', leaveDate: 'terminationDate' })}`,
  secrets,
  steps: [
    'Create the integration system user ISU_Rollcall with a security group that has Get on the domains of worker data.',
    'Put host, tenant and version (View WSDL shows them) into url.',
  ],
};

export const workdayStarters: readonly SourceStarter[] = [raas, soap];
