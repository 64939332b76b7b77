export const looks = {
  lead: 'How the pages of a sign-in and mails look, where no organisation with a branding of its own is known. The next page shows a change.',
  leadOf: (name: string) =>
    `How the pages of a sign-in look for the people and applications of ${name}. What is set here replaces the branding of the installation as a whole.`,
  of: (name: string) => `Branding of ${name}`,
  ofInstallation: 'Branding of the installation',
  actsFor: (place: string) =>
    `You act for ${place}, and this branding is that of the whole installation. Ask whoever administers it to change it.`,
  readOnly: (permission: string) =>
    `You may look at the branding, and not change it: that needs ${permission}.`,
  managed: (file: string) =>
    `The file ${file} manages this: change it there. What you change here holds until the file is applied again.`,
  labels: {
    name: 'Name',
    accent_color: 'Accent colour',
    logo: 'Logo',
    logo_dark: 'Logo for dark mode',
    help_uri: 'Help',
    policy_uri: 'Privacy',
    tos_uri: 'Terms of use',
  },
  shownAs: 'What stands at the top',
  links: 'Links at the foot',
  nameHow:
    'At the top of the pages and in their titles, in mails and authenticator apps. At most 60 characters.',
  nameOfHow: 'At the top of the pages and in their titles. At most 60 characters.',
  logoHow:
    'The address of a PNG, JPEG or WebP of at most 64 KiB. It is fetched once and shown from here; for another picture, give another address.',
  logoDarkHow: 'Without it, the logo is there too.',
  accentHow: 'Of buttons and links, such as #1f5f58. It must be readable on the page: a contrast of 4.5:1.',
  pick: 'Pick a colour',
  linkHow: 'An address that begins with https.',
  preview: 'Preview',
  previewHow: 'The page of a sign-in with what is typed.',
  byDay: 'By day',
  byNight: 'In dark mode',
  page: (look: string) => `The page of a sign-in, ${look.toLowerCase()}`,
  contrast: (links: string, button: string) => `Contrast of links ${links}:1, of the button ${button}:1`,
  enough: 'Enough: 4.5:1 is needed.',
  unreadable: 'This colour is not shown: it can’t be read.',
  logoLater: 'The logo stands here once the service has fetched it.',
  heading: 'Sign in',
  to: 'to continue to your application',
  email: 'E-mail address',
  password: 'Password',
}
