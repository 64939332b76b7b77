export const wizard = {
  first: 'Connect the first',
  connect: 'Connect it',
  another: 'Connect an application',
  step: (number: number) => `Step ${number} of 4`,
  what: 'What do you connect?',
  kinds: {
    browser: {
      title: 'A web page without a server',
      example: 'React, Vue or plain JavaScript: everything runs in the browser.',
    },
    server: {
      title: 'A web application with a server',
      example: 'Node, Python, Go, .NET, Java: its server can keep a secret.',
    },
    device: {
      title: 'An app on a phone, a desktop or in a terminal',
      example: 'It is installed on the device of whoever uses it.',
    },
    machine: {
      title: 'A program that nobody signs in to',
      example: 'A nightly job or another service: it acts for itself.',
    },
    product: {
      title: 'A product that you installed',
      example: 'Grafana, Gitea, Argo CD, Keycloak and others: it gets what it needs.',
    },
  },
  where: 'What is it called, and where does it live?',
  nameHow: 'People see it when they sign in.',
  id: 'Identifier (client_id)',
  idHow: 'Proposed by the name. It never changes.',
  byCode: 'It shows a code',
  byCodeHow:
    'For devices without a browser: people type the code elsewhere, and nothing comes back to an address.',
  product: 'Product',
  choose: 'Choose one',
  library: 'What is it made with?',
  libraryHow: 'None of these: leave it out.',
  url: (product: string) => `Where is ${product}?`,
  endsInSlash: (uri: string) =>
    `${uri} ends in a slash. Addresses are compared letter by letter: does your framework send it so?`,
  local: 'localhost and 127.0.0.1 are different addresses: add the one that the browser shows, or both.',
  anyPort:
    '127.0.0.1 may have any port: it is not compared. Register it without; localhost has its port compared.',
  may: 'What may it do?',
  servicesHow: 'Without a service it signs people in, and no more.',
  servicesMachine: 'What it calls, and what it may do there.',
  next: 'Next',
  back: 'Back',
  done: (name: string) => `${name} is connected`,
  open: 'Its page in the console',
  snippet: 'Paste this',
  into: (where: string) => `Into ${where}:`,
  askCode: 'How the device asks for the code that people type',
  askToken: 'How it gets an access token',
  anyLibrary: 'The settings of the application, whatever its library calls them',
}
