/** Moving in: the export of another system, what comes of it, and what is done with that. */
const things = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`)

export const moving = {
  title: 'Move in from another system',
  button: 'Move in',
  coming: 'Coming from another system?',
  lead: 'Drop the export of the other system and see what comes along, what does not, and what you have to decide. Reading it changes nothing.',
  ofInstallation:
    'Moving in is for those who administer everything: an export brings people, roles and applications of all places. Ask them to do it with you.',
  system: 'The other system',
  /** How each is exported, in short; the docs have all of it. */
  how: {
    keycloak: 'On its machine. The export of its admin console holds no people and no secrets.',
    auth0:
      'People by a job of its Management API; its support hands out the hashes of their passwords; applications, roles and organisations by its command line.',
    zitadel:
      'By its API, with passwords and one-time codes. What the export lacks, the answers of the searches have.',
    logto:
      'The tables of its database, as JSON lines: users, roles, organizations, applications and what joins them.',
    ory: 'Identities by the admin API of Kratos, with their credentials; applications by the command of Hydra.',
    firebase:
      'By its command line. The parameters of the hashes are in no export: copy them from its console.',
    cognito: 'By its command line. It hands out no passwords and no second factors: people set new ones.',
    okta: 'The answers of its API: people, groups, the people of each group as NAME.group.json, and applications. It hands out no passwords and no second factors.',
    django: 'By its management command; with a user model of your own, name its application too.',
    'aspnet-identity':
      'The tables AspNetUsers, AspNetRoles, AspNetUserRoles and AspNetUserTokens, each as CSV or JSON.',
    ldif: 'The entries as LDIF. Hashes come along only if you may read userPassword.',
  },
  command: 'The command that exports',
  docs: (page: string) => `All of it, and what comes along, is in ${page}.`,
  files: 'Files of the export',
  drop: 'Drop all its files here, at most 20 MiB together. An edited mapping.yaml goes along.',
  choose: 'Choose files',
  tooLarge: 'It is larger than 20 MiB: use tessera move-in.',
  size: (size: string) => `${size} KiB`,
  leaveOut: (name: string) => `Leave out ${name}`,
  further: 'Several systems, passkeys',
  prefix: 'Prefix of all codes',
  prefixHow:
    'Where several systems move in, so that what is called alike stays apart. At most 20 letters, digits and dashes.',
  rpId: 'Domain of passkeys here',
  rpIdHow: 'Passkeys of another domain stay behind. Empty: the one that the export names.',
  read: 'Read the export',
  again: 'Read it again',
  reading: 'Reading the export …',
  nothingYet: 'Nothing is changed yet.',
  forget: 'Forget this export',
  comes: 'What comes along',
  counts: (people: number, clients: number) =>
    `${things(people, 'person', 'people')} and ${things(clients, 'application', 'applications')}.`,
  decisions: (count: number) =>
    count === 0 ? 'Nothing is to be decided.' : `${things(count, 'thing is', 'things are')} to be decided.`,
  stale: 'You changed something since: read it again.',
  headings: {
    'What you have to decide': 'What you have to decide',
    'What does not come along': 'What does not come along',
    'What comes along changed': 'What comes along changed',
  } as Record<string, string>,
  mapping: 'How roles, groups and attributes become roles here',
  mappingHow:
    'Each part says what it is for. Edit it and read the export again, as often as you like: what you changed is kept.',
  mappingText: 'The mapping',
  refusedHow: 'Nothing is changed. Mend the lines, and read it again.',
  next: 'What to do next',
  planIt: 'Plan the declared file',
  planHow:
    'Organisations, roles, services and applications with the hashes of their secrets. Look at the plan, and apply it before the import: people get roles that must be there.',
  importIt: 'Import the people',
  importHow:
    'With their passwords, second factors and roles. Weak forms of hashes, and those of Firebase, are taken by tessera import alone: save the files for it.',
  importTooLarge: 'They are more than 5 MiB: save the files, and bring them in by tessera import.',
  saveIt: 'Save the files',
  saveHow:
    'For the command, and the mapping for your next export. They hold hashes of passwords and secrets: keep them as you keep the database.',
  kept: 'The export stays in this tab until you forget it or close the tab.',
}
