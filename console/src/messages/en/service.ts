export const service = {
  search: 'Search services',
  found: (count: number, more: boolean) =>
    more ? `The first ${count}` : count === 1 ? '1 service' : `${count} services`,
  empty: 'No service yet',
  emptyHow: 'A service is an API that asks for permissions. Add one, or let a declared file bring it along.',
  noMatchHow: 'The beginning of a code or of any word of a name finds a service.',
  name: 'Service',
  audience: 'Audience',
  description: 'What it is',
  descriptionHow: 'For whoever gives its permissions to somebody. It may be left empty.',
  alg: 'Signed with',
  typ: 'Type of its tokens',
  origin: 'Comes from',
  builtIn: 'Built in',
  overview: 'What it protects',
  settings: 'Settings',
  add: 'Add a service',
  codeHow: 'What its permissions begin with. It never changes.',
  audienceHow: 'The address of the API, as its code knows it. Tokens that are meant for it name it.',
  audienceChanged: (before: string) =>
    `Tokens that were issued before still name ${before} until they end. Let the service accept both first.`,
  algHow:
    'ES256 is cheaper to make and costs more to check. Let the service accept both before you change it.',
  typHow: 'JWT is for frameworks that know no at+jwt. It no longer tells them from ID tokens.',
  managed: (file: string) =>
    `The file ${file} manages this service and its permissions: change them there. What you change here holds until the file is applied again.`,
  remove: 'Remove this service',
  removeHow: 'For good, with its permissions.',
  removeWhat:
    'Its permissions are taken from every role that gives them, and applications can no longer ask for it. Roles, people and applications stay.',
  readOnly:
    'You may look at services, and not change them: that needs iam.services.update, or iam.permissions.create.',
  ofInstallation: (place: string) =>
    `You act for ${place}, and services belong to the whole installation. Ask whoever administers it to change one.`,
  unchanged: 'It comes with Tessera, and nobody changes it.',
  permissions: 'Permissions',
  permission: 'Permission',
  meaning: 'What it allows',
  noPermission: 'It has no permission yet',
  actions: 'Changes',
  addPermission: 'Add a permission',
  permissionHow: (service: string) =>
    `What is done to what, such as ${service}.report.read. It never changes.`,
  meaningHow: 'In the words of whoever gives it to somebody.',
  describe: 'Describe',
  describeTitle: (code: string) => `What does ${code} allow?`,
  described: (description: string) =>
    `Somebody else described it meanwhile: “${description}”. Save again to replace that.`,
  retire: 'Retire',
  retireTitle: (code: string) => `Retire ${code}?`,
  retireWhat:
    'It is removed for good, and taken from whatever names it. Whoever has it by a role loses it at once; tokens from before hold it until they end.',
  namedByRoles: 'Roles that give it',
  namedByApplications: 'Applications that name it',
  roles: 'Roles that give something of it',
  noRole: 'No role gives anything of it',
  applications: 'Applications that may ask for it',
  noApplication: 'No application may ask for it',
  protect: 'To protect it',
  protectHow: 'It checks each token by itself: signature, issuer, audience, end, type and the permission.',
  language: 'Language',
  wasRun: (by: string | undefined) =>
    by === 'tests'
      ? 'Our own guard, which the tests of Tessera run.'
      : by === undefined
        ? 'Written as the documents of the library say, not run. Try it with a token of yours, and with an ID token, which it must refuse.'
        : `Run by hand against Tessera, with ${by}. Try it with an ID token, too, which it must refuse.`,
  typJwt:
    'Tokens of this service have the type JWT, as ID tokens have. Refuse also what has no client_id, and what has nonce or at_hash.',
  code: 'Code',
}
