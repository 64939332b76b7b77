import type { Messages } from '../en.ts'

export const ends: Messages['ends'] = {
  end: 'Beenden',
  sessionTitle: 'Diese Sitzung beenden?',
  sessionWhat: 'Die Person ist dort abgemeldet, mit den Tokens der Sitzung. Sie kann sich wieder anmelden.',
  all: 'Alle Sitzungen beenden',
  allTitle: (name) => `Alle Sitzungen von ${name} beenden?`,
  allWhat: 'Die Person ist überall abgemeldet, mit allen Tokens. Sie kann sich wieder anmelden.',
  tokensTitle: (client) => `Die Tokens von ${client} beenden?`,
  tokensWhat:
    'Die Anwendung verliert sie sofort. Die Sitzung geht weiter, die Person kann sie also wieder einlassen.',
  withdraw: 'Widerrufen',
  consentTitle: (client) => `Widerrufen, was ${client} erlaubt wurde?`,
  consentWhat: 'Die Anwendung verliert ihre Tokens für diese Person und muss sie wieder fragen.',
}

export const recover: Messages['recover'] = {
  factor: 'Entfernen',
  factorTitle: (name) => `Den Faktor „${name}“ entfernen?`,
  factorWhat:
    'Sitzungen, die auf ihm beruhen, enden, und vertrauten Browsern wird nicht mehr vertraut. Ohne einen anderen Faktor genügt zur Anmeldung das Passwort.',
  unlock: 'Anmeldesperre aufheben',
  unlockTitle: (name) => `Die Anmeldesperre von ${name} aufheben?`,
  unlockWhat: 'Gezählte falsche Passwörter und Codes sind vergessen, und ausgesetzte Faktoren zählen wieder.',
  password: 'Neues Passwort ermöglichen',
  passwordTitle: (name) => `${name} ein neues Passwort setzen lassen?`,
  passwordWhat: (email) =>
    `Die Person erhält einen Link, der einmal und eine Stunde lang gilt. Er geht per Mail an ${email} oder wird hier gezeigt, wo keine Mails verschickt werden. Zuerst wird nach dem zweiten Faktor gefragt.`,
  showLink: 'Den Link mir zeigen',
  showLinkHow:
    'Für Personen, die diese Mail nicht lesen können. Geben Sie ihn nur weiter, wenn Sie sicher sind, wer es ist.',
  endFactors: 'Die Person kann keinen zweiten Faktor zeigen',
  endFactorsHow: 'Es wird keiner verlangt, und mit dem Link enden alle. Seien Sie sicher, wer fragt.',
  theft: 'Das Konto wurde übernommen',
  theftTitle: (name: string) => `Alles beenden, was jemand im Konto von ${name} haben könnte?`,
  theftWhat: (email: string) =>
    `Sofort endet alles: das Passwort, zweite Faktoren, auch entfernte, Wiederherstellungscodes, Sitzungen, Tokens, Browser und jeder Link, der verschickt wurde. Danach bekommt die Person einen Link für ein neues Passwort, an ${email} oder hier angezeigt. Sehen Sie zuerst nach, ob diese Adresse ihr gehört.`,
  theftMake: 'Alles beenden und den Link erstellen',
  make: 'Link erzeugen',
  link: 'Link',
  mailed: (email, end) => `Er geht per Mail an ${email} und gilt bis ${end}.`,
  passOn: (end) => `Er wird nur dieses eine Mal gezeigt. Geben Sie ihn weiter; er gilt bis ${end}.`,
}

export const edit: Messages['edit'] = {
  newAddress: 'Eine neue Adresse gilt als nicht bestätigt.',
  remove: 'Diese Person entfernen',
  removeHow: 'Endgültig, mit allem, was zu ihr gehört. Das Audit behält, was sie tat.',
  removeWhat:
    'Die Person ist endgültig fort, mit ihren Profilen, Sitzungen und Einwilligungen. Um sie eine Weile fernzuhalten, sperren Sie sie.',
}
