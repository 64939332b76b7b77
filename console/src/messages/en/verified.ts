export const verified = {
  title: 'Verified',
  until: (sequence: number) => `until record ${sequence.toLocaleString('en')},`,
  since: (records: number) =>
    records === 1 ? 'One record since,' : `${records.toLocaleString('en')} records since, the first`,
  never: 'Never verified',
  neverHow: 'Let a timer run this each night where the service runs. It finds altered and removed records.',
  problems: (count: number) =>
    count === 1
      ? 'The audit is broken: one thing was found wrong'
      : `The audit is broken: ${count.toLocaleString('en')} things were found wrong`,
  found: 'Found',
  before: 'Last found whole:',
  alarms: {
    not_marked: 'Somebody without the secret changed what is known of the last verification',
    not_kept: 'The record up to which the audit was verified is gone',
  },
  how: 'Change nothing before you know who did it. Run this on the database: it names what is wrong, and docs/audit.md says what each finding means.',
}
