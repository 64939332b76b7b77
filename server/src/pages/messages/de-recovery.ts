import { phrase } from './phrase.ts'
import type { recovery as english } from './en-recovery.ts'

export const recovery: typeof english = {
  forgotten: {
    link: 'Passwort vergessen?',
    title: 'Passwort vergessen',
    heading: 'Ein neues Passwort setzen',
    text: 'Geben Sie die E-Mail-Adresse ein, mit der Sie sich anmelden. Sie bekommen eine Mail mit einem Link, über den Sie ein neues Passwort setzen.',
    submit: 'Link senden',
    sentHeading: 'Sehen Sie in Ihren Mails nach',
    sent: (email) =>
      phrase`Wenn es ein Konto mit ${email} gibt, ist eine Mail mit einem Link dorthin unterwegs.`,
    good: 'Der Link gilt einmal und eine halbe Stunde lang.',
    goesOn:
      'Der Link gilt einmal und eine halbe Stunde lang. Öffnen Sie ihn in diesem Browser, dann geht die Anmeldung dort weiter, wo sie war.',
    nothing: (again) =>
      phrase`Ist keine Mail da? Sehen Sie unter Spam nach, vergleichen Sie die Adresse, oder ${again}.`,
    again: 'lassen Sie den Link noch einmal senden',
    back: 'Zurück zur Anmeldung',
  },
  reset: {
    title: 'Ein neues Passwort setzen',
    heading: 'Ein neues Passwort setzen',
    lead: (account) => phrase`für das Konto von ${account}`,
    ends: 'Danach sind Sie hier angemeldet und überall sonst abgemeldet.',
    factorLead: (account) =>
      phrase`Bevor für ${account} ein neues Passwort gesetzt wird, zeigen Sie mit Ihrem zweiten Faktor, dass Sie es sind.`,
    lost: 'Ohne zweiten Faktor und Wiederherstellungscodes wenden Sie sich an die Menschen, die diesen Dienst betreiben.',
    password: 'Neues Passwort',
    again: 'Das neue Passwort noch einmal',
    submit: 'Passwort setzen',
    waysTitle: 'Wählen Sie, wie Sie sich anmelden',
    passkeyText:
      'Ein Passkey liegt auf diesem Gerät oder in Ihrem Passwortmanager. Sie melden sich mit Finger, Gesicht oder PIN an und müssen sich nichts merken.',
    orPassword: 'Oder ein Passwort setzen',
  },
  resetEnded: {
    title: 'Dieser Link gilt nicht mehr',
    heading: 'Dieser Link gilt nicht mehr',
    text: 'Ein Link zum Setzen eines Passworts gilt einmal und nur kurze Zeit, und nur der neueste zählt.',
    ask: 'Bitten Sie die Menschen, die diesen Dienst betreiben, um einen neuen.',
    again: 'Einen neuen Link senden lassen',
  },
  newPassword: {
    title: 'Ihr Passwort wählen',
    heading: 'Wählen Sie Ihr Passwort',
    lead: (client) => phrase`bevor es mit ${client} weitergeht`,
    text: 'Ihr jetziges Passwort hat jemand anderes gesetzt. Wählen Sie eines, das Sie allein kennen.',
    same: 'Das ist das Passwort, das Sie schon haben. Wählen Sie ein anderes.',
  },
}
