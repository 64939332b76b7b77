import type { Messages } from '../en.ts'

export const looks: Messages['looks'] = {
  lead: 'Wie die Seiten einer Anmeldung und Mails aussehen, wo keine Organisation mit eigenem Erscheinungsbild bekannt ist. Schon die nächste Seite zeigt eine Änderung.',
  leadOf: (name) =>
    `Wie die Seiten einer Anmeldung für die Personen und Anwendungen von ${name} aussehen. Was hier festgelegt ist, ersetzt das Erscheinungsbild der Installation als Ganzes.`,
  of: (name) => `Erscheinungsbild von ${name}`,
  ofInstallation: 'Erscheinungsbild der Installation',
  actsFor: (place) =>
    `Sie handeln für ${place}, und dieses Erscheinungsbild gehört der ganzen Installation. Bitten Sie, wer diese verwaltet, um die Änderung.`,
  readOnly: (permission) =>
    `Sie dürfen das Erscheinungsbild ansehen, aber nicht ändern: Dazu braucht es ${permission}.`,
  managed: (file) =>
    `Die Datei ${file} verwaltet dies: Ändern Sie es dort. Was Sie hier ändern, gilt, bis die Datei wieder angewendet wird.`,
  labels: {
    name: 'Name',
    accent_color: 'Akzentfarbe',
    logo: 'Logo',
    logo_dark: 'Logo für den Dunkelmodus',
    help_uri: 'Hilfe',
    policy_uri: 'Datenschutz',
    tos_uri: 'Nutzungsbedingungen',
  },
  shownAs: 'Was oben steht',
  links: 'Links am Fuß',
  nameHow: 'Oben auf den Seiten und in ihren Titeln, in Mails und in Apps für Codes. Höchstens 60 Zeichen.',
  nameOfHow: 'Oben auf den Seiten und in ihren Titeln. Höchstens 60 Zeichen.',
  logoHow:
    'Die Adresse eines PNG, JPEG oder WebP von höchstens 64 KiB. Es wird einmal geholt und von hier gezeigt; für ein anderes Bild geben Sie eine andere Adresse an.',
  logoDarkHow: 'Ohne dieses steht auch dort das Logo.',
  accentHow:
    'Von Knöpfen und Links, etwa #1f5f58. Sie muss auf der Seite lesbar sein: mit einem Kontrast von 4,5:1.',
  pick: 'Farbe wählen',
  linkHow: 'Eine Adresse, die mit https beginnt.',
  preview: 'Vorschau',
  previewHow: 'Die Seite einer Anmeldung mit dem, was eingegeben ist.',
  byDay: 'Bei Tag',
  byNight: 'Im Dunkelmodus',
  page: (look) => `Die Seite einer Anmeldung ${look === 'Bei Tag' ? 'bei Tag' : 'im Dunkelmodus'}`,
  contrast: (links, button) => `Kontrast der Links ${links}:1, des Knopfes ${button}:1`,
  enough: 'Genug: 4,5:1 ist nötig.',
  unreadable: 'Diese Farbe wird nicht gezeigt: Sie ist nicht lesbar.',
  logoLater: 'Das Logo steht hier, sobald der Dienst es geholt hat.',
  heading: 'Anmelden',
  to: 'und weiter zu Ihrer Anwendung',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
}
