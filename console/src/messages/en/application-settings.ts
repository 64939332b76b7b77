export const settings = {
  about: 'About it',
  addresses: 'Addresses',
  mayDo: 'What it may do',
  lifetimes: 'Lifetimes',
  save: 'Save',
  discard: 'Discard',
  wrong: 'Something above is not right yet.',
}

export const exchange = {
  title: 'Acting for people',
  acts: 'It is a service, and acts for the people who call it',
  how: 'By token exchange, with no more than they may do, and no longer than their call.',
  service: 'The service that it is',
  is: (service: string) => `It is the service ${service}.`,
  where: 'Where it may act for them, and the most that it may do there:',
}
