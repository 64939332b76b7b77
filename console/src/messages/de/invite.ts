import type { Messages } from '../en.ts'

const people = (count: number) => (count === 1 ? '1 Person' : `${count} Personen`)

export const invite: Messages['invite'] = {
  invite: 'Einladen',
  title: 'Jemanden einladen',
  may: 'Was soll die Person dürfen?',
  mayHow: 'Mehr geben oder entziehen können Sie, sobald die Person angenommen hat.',
  who: 'Wer ist es?',
  email: 'E-Mail-Adresse',
  emailHow: 'Mehrere Personen: eine Adresse je Zeile oder durch Kommas oder Semikolons getrennt.',
  tooMany: (most) => `Es werden höchstens ${most} auf einmal eingeladen.`,
  inviteMany: (count) => `${people(count)} einladen`,
  manyTitle: (count) => `${people(count)} einladen?`,
  manyHow: 'Jede bekommt per Mail einen eigenen Link, der sieben Tage gilt.',
  working: 'Personen werden eingeladen',
  would: (invited, already, refused) =>
    [
      `${people(invited)} ${invited === 1 ? 'würde' : 'würden'} eingeladen`,
      already > 0 && `${already} ${already === 1 ? 'ist' : 'sind'} schon eingeladen`,
      refused > 0 && `${refused} ${refused === 1 ? 'würde' : 'würden'} abgelehnt`,
    ]
      .filter(Boolean)
      .join(', ') + '.',
  did: (invited, already, refused) =>
    [
      `${people(invited)} eingeladen`,
      already > 0 && `${already} ${already === 1 ? 'war' : 'waren'} schon eingeladen`,
      refused > 0 && `${refused} abgelehnt`,
    ]
      .filter(Boolean)
      .join(', ') + '.',
  name: 'Name',
  nameHow: 'Freiwillig. Die Person kann ihn ändern.',
  client: 'Führt zu',
  clientHow: 'Die Anwendung, zu der die Person kommt, wenn sie angenommen hat.',
  account: 'Zum eigenen Konto',
  known: (name) => `${name} hat diese Adresse schon.`,
  knownHow: 'Dort ein Profil geben',
  sent: 'Die Einladung ist angelegt',
  mailed: (email, until) => `Sie wird an ${email} gesendet. Ihr Link gilt bis ${until}.`,
  passOn: (email, until) =>
    `Hier werden keine Mails gesendet. Geben Sie diesen Link an ${email} weiter: Er wird einmal gezeigt und gilt bis ${until}.`,
  link: 'Link',
  another: 'Noch jemanden einladen',
  back: 'Einladungen ansehen',
  invitations: 'Einladungen',
  found: (count, more) =>
    more ? `Die ersten ${count}` : count === 1 ? '1 Einladung' : `${count} Einladungen`,
  nothing: 'Keine Einladung',
  nothingHow: 'Wer eingeladen ist, steht hier, bis er annimmt, und noch neunzig Tage danach.',
  gives: 'Gibt',
  givesNothing: 'Kein Profil',
  state: 'Status',
  states: { pending: 'Offen', accepted: 'Angenommen', withdrawn: 'Zurückgezogen', expired: 'Abgelaufen' },
  until: 'Bis',
  again: 'Erneut senden',
  againTitle: (email) => `Die Einladung an ${email} erneut senden?`,
  againWhat: 'Mit einem neuen Link für sieben Tage. Der bisherige gilt nicht mehr, und Sie laden nun ein.',
  withdraw: 'Zurückziehen',
  withdrawTitle: (email) => `Die Einladung an ${email} zurückziehen?`,
  withdrawWhat: 'Ihr Link gilt nicht mehr. Sie können die Person neu einladen.',
}
