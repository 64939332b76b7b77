import type { Child } from 'hono/jsx'
import type { Messages } from './en.ts'
import { phrase } from './phrase.ts'

export const invitation: Messages['invitation'] = {
  title: 'Einladung',
  heading: 'Sie sind eingeladen',
  joinHeading: 'Konto anlegen',
  lead: 'Sie sind eingeladen, mitzumachen.',
  leadOrganisation: (organisation: Child) => phrase`${organisation} lädt Sie ein.`,
  leadClient: (client: Child) => phrase`Sie sind eingeladen, ${client} zu verwenden.`,
  leadBoth: (organisation: Child, client: Child) =>
    phrase`${organisation} lädt Sie ein, ${client} zu verwenden.`,
  offers: 'Das erhalten Sie',
  email: 'Ihre E-Mail-Adresse',
  join: 'Konto anlegen',
  byPasskey: 'Stattdessen mit Passkey',
  known: (account: Child) =>
    phrase`Für ${account} gibt es schon ein Konto. Melden Sie sich damit an, und wählen Sie dann, was Sie annehmen.`,
  signIn: 'Anmelden',
  choose: 'Das nehmen Sie an',
  accept: 'Annehmen',
  decline: 'Ablehnen',
  otherHeading: 'Diese Einladung ist für jemand anderen',
  other: (account: Child, invited: Child) =>
    phrase`Sie sind als ${account} angemeldet. Die Einladung ist für ${invited}.`,
  switch: 'Abmelden und fortfahren',
  expiredHeading: 'Diese Einladung ist abgelaufen',
  expired: 'Sie galt sieben Tage lang. Nichts wurde geändert.',
  askThem: 'Bitten Sie die Person, die Sie eingeladen hat, sie noch einmal zu senden.',
  again: (account: Child) => phrase`Ein neuer Link kann an ${account} gesendet werden.`,
  sendAgain: 'Neuen Link senden',
  sentHeading: 'Sehen Sie in Ihr Postfach',
  sent: (account: Child) => phrase`Ein neuer Link ist unterwegs an ${account}. Er gilt sieben Tage lang.`,
  acceptedTitle: 'Danke für Ihre Antwort',
  ownPassword:
    'Noch hat niemand gezeigt, dass dieses Konto Ihnen gehört. Wählen Sie deshalb dabei ein eigenes Passwort: Alles, was andere wissen oder eingerichtet haben könnten, endet, und nur hier bleiben Sie angemeldet.',
  waits:
    'Was Sie angenommen haben, gilt, sobald Sie über einen Link in einer E-Mail an Sie ein neues Passwort gesetzt haben: Noch hat niemand gezeigt, dass dieses Konto Ihnen gehört.',
  sendLink: 'Link an mich senden',
  accepted: 'Öffnen Sie jetzt die Anwendung, die Sie verwenden möchten, und melden Sie sich dort an.',
  acceptedFor: (client: Child) => phrase`Sie können jetzt ${client} verwenden.`,
  goOn: (client: Child) => phrase`Weiter zu ${client}`,
  secure: 'Einen Passkey oder zweiten Faktor einrichten',
}
