export const settings = {
  about: 'About it',
  addresses: 'Addresses',
  mayDo: 'What it may do',
  lifetimes: 'Lifetimes',
  save: 'Save',
  discard: 'Discard',
  wrong: 'Something above is not right yet.',
}
