import type { Messages } from '../en.ts'

export const start: Messages['start'] = {
  metrics: {
    people: 'Personen',
    clients: 'Anwendungen',
    sign_ins: 'Anmeldungen, letzte 24 Stunden',
    refused_sign_ins: 'Abgelehnt, letzte 24 Stunden',
  },
  moreThan: (count) => `mehr als ${count}`,
  signIns: 'Anmeldungen',
  nobody: 'Niemand hat sich angemeldet.',
  nobodyHere: 'Niemand hat sich bei Ihren Anwendungen angemeldet.',
  succeeded: 'gelungen',
  refused: 'abgelehnt',
  span: 'Zeitraum',
  spans: { day: '24 Stunden', week: '7 Tage' },
  units: { day: 'Stunde', week: 'Tag (UTC)' },
  attention: 'Was zu tun ist',
  nothing: 'Gerade nichts.',
  others: (count, more) => (more ? `${count} weitere, und andere` : `${count} weitere`),
  since: 'seit',
  ends: 'endet',
  ended: 'endete',
  kinds: {
    audit_broken: {
      what: 'Das Audit ist beschädigt',
      cure: 'Führen Sie tessera audit verify auf der Datenbank aus: Es nennt, was nicht stimmt. Ändern Sie nichts, bevor Sie wissen, wer es war.',
    },
    signing_key_overdue: {
      what: 'Die Signaturschlüssel hätten wechseln sollen',
      cure: 'Das Log des Dienstes sagt, warum es nicht geschah. Wechseln Sie sie unter Schlüssel oder mit tessera keys rotate.',
    },
    secret_ends: {
      what: 'Das letzte Secret einer Anwendung endet',
      cure: 'Geben Sie der Anwendung ein weiteres Secret, tragen Sie es im Programm ein und entfernen Sie dann das endende.',
    },
    issuer_missing: {
      what: 'Der Aussteller, der eine Anwendung ausweist, ist nicht angegeben',
      cure: 'Geben Sie ihn unter Installation wieder an, für die Organisation der Anwendung, oder lassen Sie die Anwendung sich anders ausweisen.',
    },
    document_fails: {
      what: 'Das Dokument einer Anwendung lässt sich nicht lesen',
      cure: 'Die letzte gute Kopie gilt 7 Tage; sagt der Host, dass es keines gibt, noch eine Stunde. Die nächste Anmeldung fragt neu danach.',
    },
    secret_dormant: {
      what: 'Eine Anwendung weist sich durch Schlüssel aus und hat noch ein Secret',
      cure: 'Entfernen Sie das Secret: Mit einer anderen Methode gälte es wieder.',
    },
    upstream_secret_ends: {
      what: 'Das Geheimnis eines Anbieters endet',
      cure: 'Erzeugen Sie dort ein neues und tragen Sie es hier ein: tessera upstream secret.',
    },
    upstream_fails: {
      what: 'Ein Anbieter versagt: niemand kommt über ihn herein, oder jemand kam nicht herein',
      cure: 'Der Text sagt, was dort oder hier zu beheben ist. Nach client_refused hilft ein Versuch: tessera upstream test. Sonst sieht tessera upstream check noch einmal nach.',
    },
    break_glass_missing: {
      what: 'Niemand kommt hinein, wenn ein Anbieter ausfällt, und eine Richtlinie verlangt ihn',
      cure: 'Benennen Sie für den Notfall jemanden mit einem Profil dort und einem eigenen zweiten Faktor oder Passkey, oder lassen Sie auch andere Anmeldungen zu.',
    },
    webhook_fails: {
      what: 'Ein Webhook kommt nicht an',
      cure: 'Die Zustellungen sagen, was der Empfänger antwortet. Beheben Sie das und senden Sie sie noch einmal, oder sperren Sie den Webhook.',
    },
    mail_fails: {
      what: 'E-Mails kommen nicht an',
      cure: 'Senden Sie unter E-Mails einen Test: Er zeigt, was der Mailserver antwortet. Senden Sie dann noch einmal, was aufgegeben wurde.',
    },
    profile_ends: {
      what: 'Ein Profil endet innerhalb von 7 Tagen',
      cure: 'Setzen Sie ein späteres Ende, wo die Person es noch braucht, oder lassen Sie es enden.',
    },
    profile_waits: {
      what: 'Ein Profil wartet, bis jemand zeigt, wessen Konto es ist',
      cure: 'Schicken Sie der Person einen Link für ein neues Passwort: Wer das Konto angelegt hat, konnte so viel nicht geben. Das Profil gilt, sobald die Person ihn verwendet hat.',
    },
    account_unproved: {
      what: 'Ein Konto ohne Nachweis hat mehr, als geben konnte, wer es angelegt hat',
      cure: 'Schicken Sie der Person einen Link für ein neues Passwort: Wer das Konto angelegt hat, kennt womöglich das Passwort. Es war schon vorher da und gilt weiter.',
    },
    administrator_without_factor: {
      what: 'Jemand darf Profile vergeben und hat keinen zweiten Faktor',
      cure: 'Bitten Sie die Person, einen in ihrem Konto einzurichten, oder verlangen Sie ihn in den Regeln ihrer Rolle.',
    },
    address_refused: {
      what: 'Eine Anwendung wollte zu einer Adresse, die nicht registriert ist',
      cure: 'Öffnen Sie die Anwendung: Sie zeigt, was kam, neben der ähnlichsten registrierten Adresse.',
    },
    client_weakened: {
      what: 'Eine Anwendung ist schwächer als vorgegeben',
      cure: 'Lassen Sie sie Nonce, State und eine PKCE-Challenge senden und verlangen Sie das dann wieder von ihr.',
    },
  },
  steps: 'Erste Schritte',
  connect: 'Eine Anwendung anbinden',
  connectHow: 'Danach melden sich Personen hier für sie an.',
  invite: 'Jemanden einladen',
  inviteHow: 'Gleich mit einer Rolle, damit sie sofort beginnen können.',
  why: 'Fragen, warum jemand nicht darf',
  whyHow: 'Sehen Sie den Weg von einer Person zu einer Berechtigung, und was fehlt.',
}
